"""Declarations of tools in a recovery plan, over what is known of the tools.

A name may hold `*`, `?` and `[abc]`: then it means every tool that it fits, known or not. Of several that fit, only the
most specific one counts: the name itself, else the pattern with the most letters of its own, else the later one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.undeclared_tools import log_once

PARTS = {"allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties"}  # of a schema, which may declare parameters
_WILD = re.compile(r"\[[^]]*\]|[*?]")


def most_specific(names: Iterable[str], tool: str) -> str | None:
    """The one of these names and patterns that counts for a tool; None where none fits."""
    fitting = [name for name in names if name == tool or (_WILD.search(name) and fnmatchcase(tool, name))]
    return max(reversed(fitting), key=lambda name: (name == tool, len(_WILD.sub("", name))), default=None)


class Declarations(Mapping[str, ToolSpec]):
    """Declarations over what a session knows, which grows while the session lasts.

    Args:
        declared: by name or pattern.
        known: by name.
    """

    def __init__(self, declared: Mapping[str, ToolSpec], known: Mapping[str, ToolSpec]) -> None:
        self._declared = declared
        self._known = known
        self._joined: dict[str, tuple[ToolSpec | None, ToolSpec | None]] = {}  # by name: the one known, and both as one

    def __getitem__(self, tool: str) -> ToolSpec:
        found: ToolSpec | None = self.get(tool)
        if found is None:
            raise KeyError(tool)
        return found

    def get(self, tool: str, default: Any = None) -> Any:
        """Get a tool's spec, at the cost of two look-ups where nothing is declared."""
        known = self._known.get(tool)
        joined = self._joined.get(tool)
        if joined is None or joined[0] is not known:
            joined = self._joined[tool] = (known, _joined(self._of(tool), known))
        return default if joined[1] is None else joined[1]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **{name: spec for name, spec in self._declared.items() if not _WILD.search(name)}})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _of(self, tool: str) -> ToolSpec | None:
        name = most_specific(self._declared, tool)
        return None if name is None else replace(self._declared[name], name=tool)


def _joined(declared: ToolSpec | None, known: ToolSpec | None) -> ToolSpec | None:
    if declared is None or known is None:
        return declared or known
    # Whether a call may be repeated follows from both fields together, so they are taken from the same source.
    known_effects = declared.effects is not None
    return replace(
        known,
        effects=declared.effects if known_effects else known.effects,
        idempotent=declared.idempotent if known_effects else declared.idempotent or known.idempotent,
        key=declared.key or known.key,
        shown_by=declared.shown_by or known.shown_by,
        statuses=declared.statuses or known.statuses,
        parameters=declared.parameters or known.parameters,
        returns=declared.returns or known.returns,
        invariants=(*known.invariants, *(one for one in declared.invariants if one not in known.invariants)),
    )


def lacks_key(spec: ToolSpec) -> bool:
    """Return whether a tool's parameters are all known, and none of them has the name of its key."""
    schema = spec.parameters
    # Further parameters may be allowed by name, or be declared in a part that is not looked into.
    if not spec.key or not schema or schema.get("additionalProperties") or PARTS & schema.keys():
        return False
    return spec.key not in (schema.get("properties") or {})


def require_keys(specs: Iterable[ToolSpec]) -> None:
    """See that each tool has the parameter that is to carry its idempotency key.

    Raises:
        UserError: a tool lacks it; the message names all such tools.
    """
    wrong = _lacking(specs)
    if wrong:
        raise UserError("; ".join(wrong))


def warn_of_keys(specs: Iterable[ToolSpec]) -> None:
    """Log, once, each tool that lacks it; for when calls may be under way."""
    for problem in _lacking(specs):
        log_once(f"{problem}; its calls are made without a key")


@dataclass(frozen=True, slots=True)
class SubstituteTool:
    """A tool that recovery would call for another one.

    Attributes:
        tool: its name.
        of: the name or pattern of the one that it would be called for.
        why: in words, after "to".
    """

    tool: str
    of: str
    why: str


def require_needs(needs: Iterable[SubstituteTool], known: Iterable[str], reaches: Callable[[str], bool]) -> None:
    """See that each tool that is needed for one of the known ones can be called.

    Raises:
        UserError: some cannot; the message names all of them.
    """
    names = sorted(name for name in known if reaches(name))
    if wrong := list(_strange(needs, names, reaches)):
        raise UserError(f"{'; '.join(wrong)}. The tools are: {', '.join(names)}")


def warn_of_needs(needs: Iterable[SubstituteTool], known: Iterable[str], reaches: Callable[[str], bool]) -> None:
    """Log, once, each tool that is needed and cannot be called; for when calls may be under way."""
    names = sorted(name for name in known if reaches(name))
    for problem in _strange(needs, names, reaches):
        log_once(f"{problem}; it is never called. The tools are: {', '.join(names)}")


def _strange(needs: Iterable[SubstituteTool], names: Sequence[str], reaches: Callable[[str], bool]) -> Iterator[str]:
    for need in needs:
        if not reaches(need.tool) and any(most_specific((need.of,), name) for name in names):
            yield f"the recovery plan names {need.tool} to {need.why}, but there is no such tool here"


def _lacking(specs: Iterable[ToolSpec]) -> list[str]:
    return [
        f"{spec.name} has no parameter {spec.key!r} for its idempotency key; it has "
        f"{', '.join(spec.parameters.get('properties') or {}) or 'none'}"
        for spec in specs
        if lacks_key(spec)
    ]
