"""Read an answer whose JSON is written wrongly, without inventing any of it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar

import jsonschema_rs

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.policy import AtOnce

_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$", re.DOTALL)
_STRINGS = re.compile(r'("(?:[^"\\]|\\.)*")')
_WORDS = {"true": "True", "false": "False", "null": "None"}
_CLOSERS = {"{": "}", "[": "]"}
_WHOLE = re.compile(r'(?:["}\]]|\b(?:true|false|null))\s*$')


class Parse(AtOnce):
    """Lenient reading of a text answer where data was announced.

    It forgives what has one reading: text around the JSON, code fences, single quotes, commas too many, missing closing
    brackets after a value that is certainly whole. A number at which the text is cut off may be incomplete, so it is
    not read; nor is anything that breaks the tool's schema of answers.
    """

    name: ClassVar[str] = "parse"

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Answer with the data that the text holds."""
        spec, text = context.spec(failed_call.attempt.tool), _text(failed_call.outcome)
        if failed_call.category != "unreadable" or text is None or spec is None or not spec.returns:
            return failed_call
        data = lenient(text, spec.returns)
        if data is None:
            return failed_call
        return context.answer(
            failed_call, self.name, "parsed", Value(data), "its JSON was written wrongly", repaired=True
        )


def lenient(text: str, schema: Mapping[str, Any]) -> Any:
    """The data of a text, as the schema has it; None where it cannot be read without guessing."""
    validator = jsonschema_rs.validator_for(dict(schema))
    readings = (data for candidate in _candidates(text) for data in _read(candidate))
    return next((data for data in readings if isinstance(data, (dict, list)) and validator.is_valid(data)), None)


def _text(outcome: Outcome) -> str | None:
    if isinstance(outcome, Failure):
        return None
    return outcome.value if isinstance(outcome.value, str) else None


def _candidates(text: str) -> Iterator[str]:
    """The text, and the parts of it that may be the JSON."""
    fenced = _FENCE.match(text)
    text = fenced.group(1) if fenced else text.strip()
    yield text
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if starts:
        inner = text[min(starts) :]
        yield inner[: max(inner.rfind("}"), inner.rfind("]")) + 1]
        yield _closed(inner)


def _read(text: str) -> Iterator[Any]:
    """The readings of a text as JSON, strictest first."""
    plain = _without_late_commas(text)
    for candidate in dict.fromkeys((text, plain)):
        with suppress(ValueError):
            yield json.loads(candidate)
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):  # single quotes, as Python prints its data
        yield ast.literal_eval(_outside_strings(plain, lambda part: re.sub(r"\b(?:true|false|null)\b", _word, part)))


def _word(found: re.Match[str]) -> str:
    return _WORDS[found.group()]


def _without_late_commas(text: str) -> str:
    return _outside_strings(text, lambda part: re.sub(r",(\s*[}\]])", r"\1", part))


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if part.startswith('"') else change(part) for part in _STRINGS.split(text))


def _closed(text: str) -> str:
    """The text with the brackets that it leaves open closed, if the value before them is whole."""
    if not _WHOLE.search(text):
        return text
    open_ones: list[str] = []
    for part in _STRINGS.split(text):
        # Brackets inside a string are text.
        if part.startswith('"'):
            continue
        for sign in part:
            if sign in _CLOSERS:
                open_ones.append(_CLOSERS[sign])
            elif open_ones and sign == open_ones[-1]:
                open_ones.pop()
    return text + "".join(reversed(open_ones))
