"""The help that a failure asks for, by its signature: to wait, to repair the call, to go elsewhere, to read on.

Statuses go by RFC 9110 and common use; where a failure has no status, its type and words decide. The classes by which
failures are reported are another matter (`classes`).
"""

from __future__ import annotations

import re
from typing import Literal

from sealegs.recovery.signature import Signature

FailureCategory = Literal["transient", "permanent", "arguments", "unreadable", "wrong", "partial", "unknown"]

STATUSES: dict[int, FailureCategory] = {
    **dict.fromkeys((408, 409, 423, 425, 429, 500, 502, 503, 504, 507, 508, 520, 521, 522, 523, 524, 529), "transient"),
    **dict.fromkeys((401, 402, 403, 404, 405, 407, 410, 426, 451, 501, 505, 511), "permanent"),
    **dict.fromkeys((400, 406, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431), "arguments"),
    206: "partial",
}
_WORDS: tuple[tuple[str, FailureCategory], ...] = (
    (r"^(?:CircuitOpen|TakenOver)\b", "permanent"),
    # Before all others, since Python names the function, which may be called `parse_json`.
    (r"\(\) (?:got an unexpected keyword argument|missing .* required .*argument|takes .* positional argument)",
     "arguments"),
    (r"json|parse|decod|unexpected token|malformed|content.?type", "unreadable"),
    (r"partial|truncated|incomplete|continuation|next page", "partial"),
    (r"validation|invalid.?(?:argument|param|input|request|type)|missing.*(?:argument|param|field)|bad.?request"
     r"|unexpected keyword|required property|not of type|type.?error|value.?error|key.?error", "arguments"),
    (r"forbidden|denied|unauthori[sz]ed|permission|not.?found|no such|unknown tool|not.?implemented|suspended"
     r"|gone|removed|deprecated|discontinued|retired|quota|licen[sc]e|certificate|region", "permanent"),
    (r"time.?d?.?out|unavailable|rate.?limit|too many|throttl|connection|reset|refused|broken.?pipe|temporar|overload"
     r"|bad gateway|upstream|resolution|resolve|unreachable|locked|busy|deadlock|again later|internal.?server",
     "transient"),
)  # fmt: skip
_NATURES: tuple[tuple[re.Pattern[str], FailureCategory], ...] = tuple(
    (re.compile(words, re.IGNORECASE), category) for words, category in _WORDS
)


def categorize_failure(signature: Signature) -> FailureCategory:
    """The kind of help that a failure of this signature asks for."""
    if signature.status is not None:
        found = STATUSES.get(signature.status)
        if found is not None:
            return found
        return "transient" if signature.status >= 500 else "unknown"
    if signature.silent:
        return _of_answer(signature)
    text = f"{signature.type} {signature.message}"
    return next((category for words, category in _NATURES if words.search(text)), "unknown")


def _of_answer(signature: Signature) -> FailureCategory:
    if signature.invariants:
        return "wrong"
    if any("not an object" in reason for reason in signature.schema):
        return "unreadable"
    if signature.message.startswith("partial:"):
        return "partial"
    return "wrong" if signature.schema else "unknown"
