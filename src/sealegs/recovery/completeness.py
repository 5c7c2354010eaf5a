"""Parts of answers: an answer that says that it is a part, and where the rest begins.

Names are those of common interfaces. Whether an answer proves that something is not there is for
`inconclusive_reads`, which takes any doubt for a part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FLAGS = ("truncated", "partial", "incomplete")
CURSORS = ("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_page", "nextPage", "cursor")
EMPTY = (None, "", False)


def is_partial(value: Any) -> bool:
    """Return whether an answer says that it is a part."""
    if not isinstance(value, (dict, Mapping)):
        return False
    get = value.get
    return get("truncated") is True or get("partial") is True or get("incomplete") is True


def cursor_of(value: Mapping[str, Any]) -> Any:
    """Return what the answer says to begin the next page with; None if it says nothing of one."""
    return next((value[name] for name in CURSORS if value.get(name) not in EMPTY), None)
