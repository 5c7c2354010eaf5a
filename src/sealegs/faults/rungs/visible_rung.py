"""The rung of the ladder that a wrong answer is on, as far as the call and the answer alone can tell.

`glance`: a rule that knows no tool, or general knowledge, sees it in one value. `arithmetic`: every value looks right,
and two of them (or one and an argument) contradict each other by a sum, a mean, a count, a formula or the order of
times. The two lower rungs, `across` and `second_source`, leave nothing to see here: the answer is right in itself, and
only another answer tells (`contradiction`). What breaks a limit or a list of words that only the tool's makers know is
on no rung: nobody else can tell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Literal, get_args

import jsonschema_rs

from sealegs.faults import paths
from sealegs.faults.invariants import Counts, Formula, Invariant, Known, Mean, Ordered, Sums, roughly_equal
from sealegs.faults.rungs.glance import glance
from sealegs.faults.spec import ToolSpec

Rung = Literal["glance", "arithmetic", "across", "second_source"]
RUNGS: tuple[Rung, ...] = get_args(Rung)
RELATIONS = (Sums, Mean, Counts, Formula, Ordered)
VALUES_ONLY = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum", "const", "pattern", "minLength")


def visible_rung(spec: ToolSpec | None, arguments: Mapping[str, Any], truth: Any, wrong: Any) -> Rung | None:
    """The highest rung on which a wrong answer is detectable from the call and the answer alone; None if on neither.

    Args:
        spec: the tool; where it is not known, there is nothing to work out.
        arguments: what it was called with, defaults filled in.
        truth: what it truly answered; what a rule finds in that as well is a false alarm.
        wrong: what is shown.
    """
    if glance_findings(spec, arguments, truth, wrong):
        return "glance"
    return "arithmetic" if broken_relations(spec, arguments, wrong) else None


def glance_findings(spec: ToolSpec | None, arguments: Mapping[str, Any], truth: Any, wrong: Any) -> tuple[str, ...]:
    """The findings at a glance that are not in the true answer too, as `PATH: finding`."""
    seen = glance(arguments, wrong)
    if seen:  # else the true answer need not be looked at
        before = set(glance(arguments, truth))
        seen = tuple(finding for finding in seen if finding not in before)
    return (
        *seen,
        *(f"{one.field}: contradicts what is generally known" for one in _of(spec, (Known,), arguments, wrong)),
    )


def broken_relations(spec: ToolSpec | None, arguments: Mapping[str, Any], output: Any) -> tuple[str, ...]:
    """The declared relations between two values or more that are false of an answer, as sentences."""
    return tuple(one.says() for one in _of(spec, RELATIONS, arguments, output))


def _of(spec: ToolSpec | None, kinds: tuple[type[Any], ...], arguments: Mapping[str, Any], output: Any) -> list[Any]:
    if spec is None or not isinstance(output, Mapping):
        return []
    return [one for one in spec.invariants if _is_of(type(one), kinds) and not one.holds(arguments, output)]


@cache  # they are abstract classes, of which Python asks anew for each object
def _is_of(kind: type[Invariant], kinds: tuple[type[Any], ...]) -> bool:
    return issubclass(kind, kinds)


def keeps_structure(spec: ToolSpec | None, output: Any) -> bool:
    """Return whether an answer has the keys and types of the tool's schema; bounds, patterns and words do not count."""
    if spec is None or not spec.returns:
        return True
    return _structure(spec.returns_text).is_valid(output)


def emptied(truth: Any, wrong: Any) -> bool:
    """Return whether a value that was there is empty now."""
    before = dict(paths.leaves(truth))
    return any(value in (None, "") and before.get(path) not in (None, "") for path, value in paths.leaves(wrong))


def has_changed(truth: Any, wrong: Any, path: str) -> bool:
    """Return whether a path's values differ for people: by more than rounding, letter case and outer space."""
    one, other = paths.values_at(truth, path), paths.values_at(wrong, path)
    return len(one) != len(other) or not all(map(roughly_equal, one, other))


@lru_cache(maxsize=4096)
def _structure(schema: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(_bare(json.loads(schema)))


def _bare(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return {
            # Under `properties` the keys are names of fields, even one that reads like a keyword.
            key: {name: _bare(field) for name, field in value.items()} if key == "properties" else _bare(value)
            for key, value in schema.items()
            if key not in VALUES_ONLY
        }
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
