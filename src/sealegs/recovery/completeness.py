"""Completeness of an answer, as it says itself: of parts, of further pages and of errors.

Names are those of common interfaces. An answer that is a part and does not say so passes for whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

FLAGS = ("truncated", "partial", "incomplete")
CURSORS = ("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_page", "nextPage", "cursor")
MORE = ("has_more", "hasMore", "more", "has_next", "hasNext", "has_next_page", "hasNextPage", "next")
TOTALS = ("total", "total_count", "totalCount", "total_results", "totalResults", "total_items", "totalItems")
PAGES = ("pages", "total_pages", "totalPages", "page_count", "pageCount", "last_page")
ERRORS = ("error", "errors", "isError", "error_message", "errorMessage")
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


def why_inconclusive(answer: Any) -> str:
    """Say why an answer that does not list something is not proof that it is not there; empty if it is.

    A read can fail in the form of data, and a list can be one page of several. The answer's own fields are read, and
    those of the objects in them (`meta`, `data`).
    """
    return next((why for part in _objects(answer) if (why := _why(part))), "")


def _objects(answer: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(answer, Mapping):
        yield answer
        yield from (value for value in answer.values() if isinstance(value, Mapping))


def _why(part: Mapping[str, Any]) -> str:
    if any(part.get(name) for name in ERRORS):
        return "it reports an error"
    links = part.get("links") or part.get("_links")
    following = isinstance(links, Mapping) and links.get("next")
    # Some count pages from 0 and some from 1; a single page is the whole either way.
    further = any(_number(part.get(name)) > max(1.0, _number(part.get("page"))) for name in PAGES)
    if is_partial(part) or following or further or any(part.get(name) not in EMPTY for name in (*CURSORS, *MORE)):
        return "it is one page of several"
    lengths = [len(value) for value in part.values() if isinstance(value, (list, tuple))]
    if lengths and any(_number(part.get(name)) > max(lengths) for name in TOTALS):
        return "it lists fewer than it counts"
    return ""


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
