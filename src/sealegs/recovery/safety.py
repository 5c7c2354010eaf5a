"""Whether a call may be made again: never where it may have changed the world, unless that can be ruled out.

A tool that nothing is known of may have effects. What rules it out is a declaration (no effects, or idempotent) or a
failure after which nothing can have happened: the request was refused before the work began, or never arrived. The
status of a request that the tool's own code made proves nothing: another one before it may have done the work. Words
prove that only where they are those of what stands before the work (a connection, a check of the arguments); "not
found" may come from the middle of it.
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
    r"|no route to host|network is unreachable|circuit.?open|rate.?limit|too many requests|connect.?timeout"
    r"|certificate.?verify|tool.?not.?found|unknown.?tool|no tool named"
    r"|input validation error|invalid params|validation errors? for (?:call\[|\w+arguments\b)",
    re.IGNORECASE,
)
_NOT_CALLED = re.compile(r"^(\w+)\(\) (?:missing \S+ required|got an unexpected keyword|takes \S+ positional)")


def nothing_happened(signature: Signature, tool: str = "") -> bool:
    """Whether this failure of the tool proves that the call changed nothing."""
    if signature.status is not None and not signature.inner:
        return signature.status in REFUSED
    if signature.silent:
        return False
    called = _NOT_CALLED.match(signature.message)
    if called is not None:  # by the tool's own name: an inner call's mistake comes too late
        return called.group(1) == tool
    return _NEVER_ARRIVED.search(f"{signature.type} {signature.message}") is not None


def harmless(spec: ToolSpec | None) -> bool:
    """Whether a call of this tool can be made twice whatever came of it."""
    return spec is not None and (not spec.effects or spec.idempotent)


def may_repeat(spec: ToolSpec | None, signature: Signature, tool: str = "") -> bool:
    """Whether a call of this tool that failed so may be made once more."""
    return harmless(spec) or nothing_happened(signature, tool or (spec.name if spec is not None else ""))
