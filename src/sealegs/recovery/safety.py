"""Whether a call may be made again: never where it may have changed the world, unless that can be ruled out.

A tool that nothing is known of may have effects. What rules it out is a declaration (no effects, or idempotent) or a
failure after which nothing can have happened: the request was refused before the work began, or never arrived.
"""

from __future__ import annotations

import re

from sealegs.faults.spec import ToolSpec
from sealegs.recovery.signature import Signature

# Refused by what stands before the work: RFC 9110, RFC 6585. A 5xx but 501 and 505 may come after it.
REFUSED = frozenset(
    {400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428}
    | {429, 431, 451, 501, 505, 511}
)
_NEVER_ARRIVED = re.compile(
    r"connection.?refused|name.?resolution|could not resolve|getaddrinfo|name or service not known|nodename nor"
    r"|no route to host|network is unreachable|circuit.?open|rate.?limit|too many requests|not.?found|unknown tool"
    r"|invalid.?argument|validation.?error|missing \d* ?required|certificate|connect.?timeout",
    re.IGNORECASE,
)


def nothing_happened(signature: Signature) -> bool:
    """Whether this failure proves that the call changed nothing."""
    if signature.status is not None:
        return signature.status in REFUSED
    return not signature.silent and _NEVER_ARRIVED.search(f"{signature.type} {signature.message}") is not None


def may_repeat(spec: ToolSpec | None, signature: Signature) -> bool:
    """Whether a call of this tool that failed so may be made once more."""
    if spec is not None and (not spec.effects or spec.idempotent):
        return True
    return nothing_happened(signature)
