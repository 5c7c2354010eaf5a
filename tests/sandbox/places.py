"""Where kernels run in tests: each isolation that works here, and none at all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.sandbox import Isolation, Launcher, Limits
from sealegs.sandbox.available_isolation import find_isolation, launcher, weakest
from sealegs.sandbox.confinement import Handshake
from sealegs.sandbox.launching import Bare
from sealegs.sandbox.process import KernelProcess
from tests import needs

GENEROUS = {"RLIMIT_CORE": 0}


def place(name: str) -> Launcher:
    """The launcher of an isolation; skips where it does not work."""
    if name == "bubblewrap" and find_isolation().name != "bubblewrap":
        pytest.skip(f"{needs.STRONG} ({find_isolation().missing})")
    if find_isolation().name == "none":
        pytest.skip(f"{needs.SANDBOX} ({find_isolation().missing})")
    return launcher() if name == "bubblewrap" else weakest() if name == "weak" else Unconfined()


class Without:
    """A place with layers taken away, to see what the others do alone."""

    def __init__(self, name: str, *layers: str) -> None:
        self._whole = place(name)
        self._layers = layers
        self.isolation = self._whole.isolation

    def launch(self, limits: Limits) -> KernelProcess:
        return self._whole.launch(limits)

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        return {**self._whole.confinement(hello, limits), **dict.fromkeys(self._layers)}


class Unconfined:
    """Nothing keeps the code in but these limits: what the list of escapes is held against. `folder`: where it runs."""

    def __init__(self, limits: Mapping[str, int] = GENEROUS, folder: Path = Path("/tmp")) -> None:
        self.isolation = Isolation("none")
        self._bare, self._limits, self._folder = Bare(), dict(limits), str(folder)

    def launch(self, limits: Limits) -> KernelProcess:
        return self._bare.launch(limits)

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        how = self._bare.confinement(hello, limits)
        return {**how, "seccomp": None, "landlock": None, "folder": self._folder, "limits": self._limits}
