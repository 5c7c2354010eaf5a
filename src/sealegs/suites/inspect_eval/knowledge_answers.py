"""Reading and writing of data in a foreign eval's answers: JSON, or YAML and Python's own writing.

Inspect shows a model text. Faults and invariants work on data, so the text is read, and what was changed is written
again in the same form. YAML and Python's writing are read only where writing gives the very text again, so that prose
with a colon is not taken for a mapping. Tables and prose are not read.
"""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

import yaml

from sealegs.adapters.bridge import data_of, result_text

AnswerForm = Literal["json", "yaml"]
TIMES, TEXT = "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:str"
TIME = re.compile(r"\d{4}-\d\d?-\d\d?")
REMEMBERED = 1024  # texts; samples of an eval often read the same
FOLDED = 80  # characters, after which a longer line is folded
# In C where PyYAML brings that. It reads the same; what is shown is written in Python as in the evals, since lines are
# folded differently in C.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def read_answer(text: str, form: AnswerForm) -> Any:
    """The data that a tool's text holds; the text itself where it holds none.

    Args:
        text: what the tool answered.
        form: how the eval's tools write data. `yaml` reads lists and mappings in YAML, in which times stay text, and
            mappings as Python writes them.
    """
    if form == "json":
        return data_of(text)
    packed = _packed_data(text)
    return text if packed is None else pickle.loads(packed)


def write_answer(value: Any, form: AnswerForm, before: str = "") -> str:
    """Data as the eval's tools would write it.

    Args:
        value: the data.
        form: as of `read_answer`.
        before: the text that the tool gave, which shows whether it writes as Python does.
    """
    if isinstance(value, str):
        return value
    if form == "json" or not isinstance(value, (Mapping, list)):
        return result_text(value)
    if before[:1] == "{":
        return str(value)
    text: str = yaml.dump(value, Dumper=_times_dumper(yaml.SafeDumper, frozenset(_times(before))))
    return text.strip()


@lru_cache(REMEMBERED)
def _packed_data(text: str) -> bytes | None:
    """The data of a text in YAML or as Python writes it, packed so that every reader gets its own; None of prose."""
    found = _of_python(text) if text[:1] == "{" else _of_yaml(text)
    if isinstance(found, (dict, list)) and (_written_in_c(found, text) or write_answer(found, "yaml", text) == text):
        return pickle.dumps(found)
    return None


def _written_in_c(value: Any, text: str) -> bool:
    """Return whether the text is what C writes of the data, which Python, five times slower, then writes as well."""
    # Where no line is so long that either would fold it, both write the same.
    if text[:1] == "{" or max(map(len, text.split("\n"))) > FOLDED:
        return False
    dumper = _times_dumper(_Dumper, frozenset(_times(text)))
    written: str = yaml.dump(value, Dumper=dumper, width=len(text) + FOLDED)
    return written.strip() == text


def _of_python(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _of_yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_TextTimesLoader)
    except yaml.YAMLError:
        return None


def _times(text: str) -> Iterator[str]:
    """The times that a text writes as such: without quotes, which text that looks like a time has."""
    if TIME.search(text) is None:
        return
    try:
        for token in yaml.scan(text, Loader=_Loader):
            if isinstance(token, yaml.ScalarToken) and token.plain and TIME.match(token.value):
                yield token.value
    except yaml.YAMLError:
        return


class _TextTimesLoader(_Loader):  # type: ignore[misc]
    """Reads times as text."""


def _as_text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


_TextTimesLoader.add_constructor(TIMES, _as_text)


@lru_cache(16)
def _times_dumper(base: Any, times: frozenset[str]) -> Any:
    """Writes these texts as times."""

    class TimesDumper(base):  # type: ignore[misc]
        """Writes some texts without quotes."""

    def written(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(TIMES if text in times else TEXT, text)

    TimesDumper.add_representer(str, written)
    return TimesDumper
