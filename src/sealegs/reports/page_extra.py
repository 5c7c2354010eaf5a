"""The packages that pages are made with, which are an extra, and the message where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sealegs.faults.user_error import UserError

EXTRA = ("jinja2", "markupsafe", "matplotlib")


class MissingExtra(UserError):
    """A package that the page is made with is not installed; the message says how to get it."""


@contextmanager
def extra() -> Iterator[None]:
    """Import what pages are made with.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise MissingExtra(f'the page needs {error.name}; run: pip install "sealegs[report]"') from error
