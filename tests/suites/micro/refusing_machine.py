"""A machine that refuses what `REFUSED` in the environment names, in the interpreter that imports this."""

import errno
import os
import tempfile
from typing import Any

from sealegs.suites.micro.isolation import runner

made = tempfile.mkdtemp


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "there")


def mkdtemp(*arguments: Any, **more: Any) -> Any:
    if os.environ["REFUSED"] == ("a run's folder" if "dir" in more else "the folder of all"):
        refuse()
    return made(*arguments, **more)


tempfile.mkdtemp = mkdtemp
if os.environ["REFUSED"] == "a run's streams":
    runner._make_fresh = refuse  # type: ignore[assignment]
