"""A count of the runs of a project's functions, whether or not their calls pass through the seam.

It covers this thread and those that are started meanwhile. Not covered: threads that were there before, and other
processes.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


@contextmanager
def counted_runs(functions: Mapping[str, tuple[Path, str]]) -> Iterator[Counter[str]]:
    """Count the runs of functions while the block lasts.

    Args:
        functions: by any name, the file and the function's name at the top of it.

    Yields:
        The counts by that name: how often a function was entered, which a coroutine is each time that it resumes.
    """
    found: Counter[str] = Counter()
    wanted = {(str(file.resolve()), name): key for key, (file, name) in functions.items()}
    names = {name for _, name in wanted}
    known: dict[CodeType, str] = {}

    def seen(frame: FrameType, event: str, given: Any) -> None:
        code = frame.f_code
        # By name first: this runs at every call of the program, and paths take long to resolve.
        if event != "call" or code.co_qualname not in names:
            return
        if code not in known:
            known[code] = wanted.get((str(Path(code.co_filename).resolve()), code.co_qualname), "")
        if known[code]:
            found[known[code]] += 1

    before, before_threads = sys.getprofile(), threading.getprofile()
    sys.setprofile(seen)
    threading.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(before_threads)
