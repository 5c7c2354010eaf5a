"""The limits of a code kernel's use of resources."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from sealegs.faults.user_error import UserError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one kernel. None of them can be raised from inside.

    Attributes:
        seconds: wall time of one turn, without the time in which the host answers calls.
        grace: seconds after that in which the turn may still end by itself; then the kernel is killed.
        cpu_seconds: CPU time of the whole episode.
        memory: address space, in bytes.
        scratch: size of the scratch folder, in bytes; also of any one file.
        scratch_files: files and folders in it.
        files: open files.
        output: characters shown of a turn; as many again of its error.
        calls: calls of functions in one turn.
        message: bytes of one message to or from the kernel, such as one call's arguments.
        requests: bytes of all calls of the episode; the host's log holds them.
        answers: bytes of all answers of the episode.
    """

    seconds: float = 10.0
    grace: float = 0.5
    cpu_seconds: int = 120
    memory: int = 512 * MIB
    scratch: int = 16 * MIB
    scratch_files: int = 1024
    files: int = 64
    output: int = 20_000
    calls: int = 1000
    message: int = MIB
    requests: int = 4 * MIB
    answers: int = 64 * MIB

    def __post_init__(self) -> None:
        problems = []
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0 or math.isinf(value):
                problems.append(f"{field.name}={value!r} must be a number above 0")
        if self.memory < 64 * MIB:
            problems.append(f"memory={self.memory} is too little for Python; give at least {64 * MIB}")
        if self.files < 16:
            problems.append(f"files={self.files} is too little for Python; give at least 16")
        if self.message < 16 * self.output:  # two texts of that many characters, in JSON
            problems.append(
                f"message={self.message} cannot hold an output of {self.output} characters; give 16 times it"
            )
        if problems:
            raise UserError(f"these limits cannot be used: {'; '.join(problems)}")
