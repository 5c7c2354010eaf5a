"""The requests of the shipped tasks in other words, and in other languages.

Every task has a second request that asks for the same things in other words and another order. Some tasks also have one
each in German, Spanish and Chinese. Graph, values and ground truth are the task's own; only the text differs. A file of
texts lists `id` and `request`; `says` gives the words for a value that the language does not write as the tools do
("Wien" for Vienna).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import yaml

from sealegs.scenarios.task_sets import wording_files
from sealegs.tasks import Task, UserInput
from sealegs.tasks.value_matching import contains_value
from sealegs.tasks.written_forms import ENGLISH, LANGUAGES, in_english_forms
from sealegs.world.corpus_check import naming_problems

FIRST = "first"
SECOND = "second"
WORDINGS = (FIRST, SECOND)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class WordedRequest:
    """A task's request in one wording.

    Attributes:
        request: the text.
        says: for an input whose value the text puts in its own words, these words.
    """

    request: str
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """The choice among the requests of each task.

    Attributes:
        wording: one of `WORDINGS`.
        language: one of `LANGUAGES`; another than English has one wording.
    """

    wording: str = FIRST
    language: str = ENGLISH

    @property
    def own(self) -> bool:
        """Whether this is the request that the task itself holds."""
        return self == OWN_REQUESTS

    @property
    def requests(self) -> Mapping[str, WordedRequest]:
        """The requests by the task's id; none where it is the task's own."""
        return {} if self.own else _read(self)

    def has(self, task: str) -> bool:
        """Return whether the task has such a request."""
        return self.own or task in self.requests

    def worded(self, task: Task) -> Task:
        """The task with this request."""
        return task if self.own else replace(task, request=self.requests[task.id].request)


OWN_REQUESTS = Phrasing()


def all_phrasings() -> tuple[Phrasing, ...]:
    """Every wording and language that there are requests in."""
    others = (Phrasing(FIRST, language) for language in LANGUAGES if language != ENGLISH)
    return (OWN_REQUESTS, Phrasing(SECOND), *others)


def translated_tasks() -> frozenset[str]:
    """The ids of the tasks whose request is there in every language."""
    others = [Phrasing(FIRST, language).requests.keys() for language in LANGUAGES if language != ENGLISH]
    return frozenset(set.intersection(*map(set, others)))


@cache
def _read(phrasing: Phrasing) -> Mapping[str, WordedRequest]:
    name = SECOND if phrasing.language == ENGLISH else phrasing.language
    items = [item for file in wording_files(name) for item in yaml.load(file.read_text("utf-8"), _LOADER)]
    joint = "" if phrasing.language == "zh" else " "  # a line of Chinese ends without a space
    return {item["id"]: WordedRequest(_one_line(item["request"], joint), item.get("says", {})) for item in items}


def _one_line(text: str, joint: str) -> str:
    return joint.join(line.strip() for line in text.strip().split("\n"))


def wording_problems(task: Task, phrasing: Phrasing) -> Iterator[str]:
    """The problems of a task's request in this wording: a tool or field that it names, an input that it lacks."""
    worded = phrasing.requests[task.id] if not phrasing.own else WordedRequest(task.request)
    yield from naming_problems(replace(task, request=worded.request))
    text = f"{worded.request}\n{in_english_forms(worded.request, phrasing.language)}"
    for name in worded.says.keys() - task.inputs.keys():
        yield f"says names {name!r}, which is not an input of the task"
    for name in sorted(_inputs_read(task)):
        value = task.inputs[name]
        expected = worded.says.get(name)
        # A request puts a yes or no in words of its own, which no search for the value finds.
        if isinstance(value, bool):
            continue
        if not (contains_value(text, value) if expected is None else expected.casefold() in worded.request.casefold()):
            yield f"the input {name} = {value!r} cannot be read from the request" + (
                f" as {expected!r}" if expected else ""
            )


def _inputs_read(task: Task) -> set[str]:
    return {b.name for step in task.graph.walk() for b in step.arguments.values() if isinstance(b, UserInput)}


def shared_words(task: Task, phrasing: Phrasing) -> float:
    """The share of the words of two requests that are in both, the task's own and this one; values do not count."""
    values = _word_set(" ".join(map(str, task.inputs.values())))
    one, other = (_word_set(text) - values for text in (task.request, phrasing.worded(task).request))
    return len(one & other) / len(one | other)


def _word_set(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))
