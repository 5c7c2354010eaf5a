"""The isolation that keeps the code in: its name, as data, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sealegs.faults.user_error import UserError

Name = Literal["bubblewrap", "weak", "none", "elsewhere"]

WORDS = {
    "bubblewrap": "strong: namespaces of its own by bubblewrap",
    "weak": "WEAK: no namespaces, the machine's files can be seen (not read)",
    "none": "NONE: nothing here can keep hostile code in",
    "elsewhere": "as strong as the place that it runs in",
}


@dataclass(frozen=True, slots=True)
class Isolation:
    """The isolation between the code and this machine.

    Attributes:
        name: `bubblewrap`; `weak` (Landlock, seccomp and limits alone); `none`; `elsewhere` for a launcher of yours.
        layers: everything that is active, by name.
        missing: the reason why it is not the strongest, as the system reports it; empty if it is.
    """

    name: Name
    layers: tuple[str, ...] = ()
    missing: str = ""

    @property
    def strong(self) -> bool:
        """Whether hostile code may be run without asking."""
        return self.name in ("bubblewrap", "elsewhere")

    @property
    def words(self) -> str:
        """The isolation in one line."""
        layers = f" ({', '.join(self.layers)})" if self.layers else ""
        missing = f"; {self.missing}" if self.missing else ""
        return f"{WORDS[self.name]}{layers}{missing}"

    def accepted(self, allow_weak: bool) -> Isolation:
        """The isolation itself, where it may be used.

        Raises:
            UserError: it is weak and this was not allowed, or there is none.
        """
        if self.name == "none":
            raise UserError(f"no code can be run here: {self.missing}. Install bubblewrap, or use a newer Linux")
        if not self.strong and not allow_weak:
            raise UserError(
                f"the sandbox here is {self.words}. Install bubblewrap, or say --allow-weak-sandbox "
                "(in Python allow_weak=True) where the code cannot do harm"
            )
        return self
