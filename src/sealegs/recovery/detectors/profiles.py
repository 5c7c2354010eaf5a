"""Profiles of tools' normal answers, learned from records, as data: a file, and the detector that it makes.

`learn` reads what the tools themselves returned, whatever a fault of ours showed in its place. A tool that answered
wrongly in the record all along is learned as normal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from sealegs.faults.call import Value
from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors.calibration import CalibrationTally, threshold
from sealegs.recovery.detectors.detector import LEAST, LearnedDetector, StatementIndex, evidence, view_by_field_names
from sealegs.recovery.detectors.drift import Level, levels
from sealegs.recovery.detectors.flat_call import FlatCall
from sealegs.recovery.detectors.relations import Before, Determined, Echoes, Equation
from sealegs.recovery.detectors.statement_mining import mine_name_statements, mine_statements
from sealegs.recovery.detectors.statements import (
    Filled,
    Formed,
    KnownValues,
    NeverNegative,
    OnlyKeys,
    Statement,
    Typed,
    Within,
)
from sealegs.recovery.detectors.text_forms import TextForms, text_forms_from
from sealegs.traces.observed import NOT_KEPT, Trace

KINDS: dict[str, type[Statement]] = {
    kind.kind: kind
    for kind in (
        Filled,
        OnlyKeys,
        Typed,
        KnownValues,
        Formed,
        NeverNegative,
        Within,
        Echoes,
        Equation,
        Before,
        Determined,
    )
}
VERSION = 1
FOLDS = 5
DRIFT = 10.0  # a false alarm of drift comes with a tenth of the wanted share
KEPT = 0.5  # the share of held-out answers whose scores are kept
Per = Literal["answer", "episode"]


@dataclass(frozen=True)
class Profile:
    """The normal answers of one tool, or, under no name, the normal fields by their names alone.

    Attributes:
        tool: its name.
        answers: the number of answers that it was learned from.
        statements: those true of all of them, each with the score of breaking it by 0, 1, 2 and 3.
        levels: of numbers, for drift.
    """

    tool: str
    answers: int
    statements: tuple[tuple[Statement, tuple[float, ...]], ...]
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True)
class HeldOut:
    """The scores that right answers (or episodes) got while they were held out: the highest, and how many there are."""

    count: int
    scores: tuple[float, ...]

    def threshold(self, share: float) -> float:
        """The least score that at most this share of them reaches."""
        return threshold(self.scores, self.count, share)


@dataclass(frozen=True)
class Profiles:
    """Profiles of several tools, and what their scores are on right answers.

    Attributes:
        tools: by name; under the empty name what fields of a name have in common in all tools.
        answers, episodes: held out.
    """

    tools: Mapping[str, Profile]
    answers: HeldOut
    episodes: HeldOut
    version: int = field(default=VERSION)

    def detector(
        self, false_alarms: float = 0.01, *, per: Per = "answer", leaks: bool = True, drift: bool = False
    ) -> LearnedDetector:
        """A detector for one session (or, with drift, for one stream of answers).

        Args:
            false_alarms: the share of right answers, or of episodes without a wrong one, that may be called wrong.
            per: what the share is of.
            leaks: also whether the answer shows the inside of the tool's server, which needs no record.
            drift: also whether a level moved.

        Raises:
            UserError: the share is not between 0 and 1, or too small for the record.
        """
        if not 0 < false_alarms < 1:
            raise UserError(f"false_alarms is {false_alarms:g}; give a share between 0 and 1, such as 0.01")
        held = self.answers if per == "answer" else self.episodes
        least = held.threshold(false_alarms)
        # With n held-out answers no rate below 1 / (n + 1) can be promised.
        if math.isinf(least):
            raise UserError(
                f"{held.count} {per}s were held out, too few for a false alarm in {1 / false_alarms:.0f} of them;"
                f" learn from a longer record, or allow more than {1 / (held.count + 1):.3f}"
            )
        table = {name: profile.statements for name, profile in self.tools.items()}
        watched = {name: profile.levels for name, profile in self.tools.items()} if drift else {}
        return LearnedDetector(table, least, leaks=leaks, levels=watched, answers=DRIFT / false_alarms)

    def data(self) -> dict[str, Any]:
        """The profiles as JSON data."""
        return {
            "sealegs": "profiles",
            "version": self.version,
            "answers": {"count": self.answers.count, "scores": self.answers.scores},
            "episodes": {"count": self.episodes.count, "scores": self.episodes.scores},
            "tools": [_profile_data(profile) for profile in self.tools.values()],
        }

    def text(self) -> str:
        """The file's text, a line for each tool."""
        data = self.data()
        lines = [json.dumps(one, ensure_ascii=False) for one in data.pop("tools")]
        head = json.dumps(data, ensure_ascii=False)[:-1]
        return head + ', "tools": [\n' + ",\n".join(lines) + "\n]}\n"


def learn(
    traces: Iterable[Trace], tell: Callable[[str], None] | None = None, *, also: Iterable[Trace] = ()
) -> Profiles:
    """Learn from what the tools returned in these episodes.

    Args:
        traces: a record, without wrong answers but for a few, of calls like those that will be tested.
        tell: called with what was left out.
        also: a record of other calls to the same tools. It is learned from, and the threshold is not set on it: other
            calls break other statements, and the rate of false alarms would not be the wanted one.

    Raises:
        UserError: no answer is kept in them.
    """
    episodes = [found for trace in traces if (found := _views(trace))]
    own = len(episodes)
    if not own:
        raise UserError("no tool answers are kept in the record; record with arguments and results (content) in it")
    # After the own ones, so that the folds below can tell them by their place.
    episodes += [found for trace in also if (found := _views(trace))]
    # Each fold needs an episode of the own record.
    folds = min(FOLDS, own)
    if folds < 2 and tell is not None:
        tell("one episode alone: nothing can be held out, so that no detector can be made; learn from more")
    cuts = [_cut(episodes, folds, fold) for fold in range(folds)] if folds > 1 else []
    tallies = [_tally(*cut) for cut in cuts]
    marked = []
    for fold, (statements, held) in enumerate(cuts):
        # Scores are not calibrated on the answers that they are then given to.
        others = CalibrationTally(tally for place, tally in enumerate(tallies) if place != fold)
        index = StatementIndex(_scored(statements, others))
        alike = held[: len(range(fold, own, folds))]  # those of the first record come first
        marked += [[evidence(index.broken(one.tool, one.view)) for one in episode] for episode in alike]
    return Profiles(
        # What ships is mined from everything; only the threshold comes from held-out answers.
        _profiles(episodes, CalibrationTally(tallies)),
        _held_out([score for scores in marked for score in scores]),
        _held_out([max(scores) for scores in marked]),
    )


class ObservedAnswer(NamedTuple):
    """An answer in the record; `call` is the same for calls of one tool with the same arguments."""

    tool: str
    view: FlatCall
    call: str


Answers = Sequence[ObservedAnswer]


def _views(trace: Trace) -> list[ObservedAnswer]:
    return [
        ObservedAnswer(
            call.tool,
            FlatCall(call.arguments, call.said.value),
            json.dumps([call.tool, call.arguments], sort_keys=True, default=str),
        )
        for call in trace.calls
        # Failures say nothing about normal answers.
        if call.arguments is not None and isinstance(call.said, Value) and call.said is not NOT_KEPT
    ]


def _by_tool(episodes: Iterable[Answers]) -> dict[str, list[FlatCall]]:
    found: dict[str, list[FlatCall]] = {}
    for episode in episodes:
        for one in episode:
            found.setdefault(one.tool, []).append(one.view)
    return dict(sorted(found.items()))


def _statements(episodes: Sequence[Answers]) -> dict[str, list[Statement]]:
    found = {tool: mine_statements(views) for tool, views in _by_tool(episodes).items()}
    return {
        "": mine_name_statements([view_by_field_names(one.view) for episode in episodes for one in episode]),
        **found,
    }


def _cut(episodes: Sequence[Answers], folds: int, fold: int) -> tuple[dict[str, list[Statement]], list[Answers]]:
    """The statements mined without a fold and without calls that the fold also makes, and the fold.

    A call that was held out would break nothing if its twin had been learned from, and a call that is tested later
    mostly has none: the threshold would be too low by as much as the record repeats itself.
    """
    held = [one for place, one in enumerate(episodes) if place % folds == fold]
    calls = {one.call for episode in held for one in episode}
    others = [one for place, one in enumerate(episodes) if place % folds != fold]
    return _statements([[one for one in episode if one.call not in calls] for episode in others]), held


def _tally(statements: Mapping[str, Sequence[Statement]], held: Sequence[Answers]) -> CalibrationTally:
    """Counts of how the held-out answers break statements that were mined without them."""
    found = CalibrationTally()
    by_field = StatementIndex({"": [(one, ()) for one in statements[""]]})
    for tool, view, _ in (one for episode in held for one in episode):
        found.hold(tool, statements.get(tool, ()), view)
        bare = view_by_field_names(view)
        found.hold("", (one for one, _ in by_field.of("", bare)), bare)
    return found


def _scored(
    statements: Mapping[str, Iterable[Statement]], tally: CalibrationTally
) -> dict[str, tuple[tuple[Statement, tuple[float, ...]], ...]]:
    return {tool: tuple((one, tally.scores(tool, one)) for one in own) for tool, own in statements.items()}


def _profiles(episodes: Sequence[Answers], tally: CalibrationTally) -> dict[str, Profile]:
    scored = _scored(_statements(episodes), tally)
    views: dict[str, list[FlatCall]] = {"": [], **_by_tool(episodes)}
    # A statement that scores nothing however badly it is broken is dropped.
    kept = {tool: tuple(one for one in own if one[1][-1] > LEAST) for tool, own in scored.items()}
    counts = {tool: len(own) for tool, own in views.items()} | {"": sum(map(len, episodes))}
    return {tool: Profile(tool, counts[tool], own, tuple(levels(views[tool]))) for tool, own in kept.items()}


def _held_out(scores: Sequence[float]) -> HeldOut:
    # Thresholds lie among the high scores, so the low ones need not be in the file.
    ordered = sorted(scores, reverse=True)[: math.ceil(KEPT * len(scores))]
    # The count is of all of them, since the dropped ones belong to the share.
    return HeldOut(len(scores), tuple(round(float(score), 4) for score in ordered))


def _profile_data(profile: Profile) -> dict[str, Any]:
    return {
        "tool": profile.tool,
        "answers": profile.answers,
        "statements": [
            {"kind": one.kind, **{name: _plain(getattr(one, name)) for name in _fields(type(one))}, "scores": scores}
            for one, scores in profile.statements
        ],
        "levels": [[level.path, level.centre, level.spread, level.log] for level in profile.levels],
    }


def _fields(kind: type[Statement]) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)


def _plain(value: Any) -> Any:
    if isinstance(value, TextForms):
        return value.data()
    return sorted(value) if isinstance(value, frozenset) else value


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _HeldOut(_Read):
    count: int
    scores: tuple[float, ...]


class _Profile(_Read):
    tool: str
    answers: int
    statements: tuple[dict[str, Any], ...]
    levels: tuple[tuple[str, float, float, bool], ...] = ()


class _File(_Read):
    sealegs: Literal["profiles"]
    version: int
    answers: _HeldOut
    episodes: _HeldOut
    tools: tuple[_Profile, ...]


def read_profiles(path: str | Path) -> Profiles:
    """The profiles in a file.

    Raises:
        UserError: it cannot be read, or holds none.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; `sealegs detect learn` makes such a file") from error
    except ValueError as error:
        raise UserError(f"{path} is not JSON ({error}); make it again with `sealegs detect learn`") from error
    # Before validation, whose message would be about fields.
    if isinstance(data, dict) and data.get("version", VERSION) != VERSION:
        raise UserError(f"{path} is of version {data['version']!r}; this Sealegs reads version {VERSION}; learn again")
    try:
        file = _File.model_validate(data)
        tools = {one.tool: _profile(one) for one in file.tools}
    except (ValidationError, KeyError, TypeError, ValueError, LookupError) as error:
        what = _first(error) if isinstance(error, ValidationError) else f"{type(error).__name__}: {error}"
        raise UserError(f"{path} holds no profiles ({what}); make it with `sealegs detect learn`") from error
    held = [HeldOut(one.count, one.scores) for one in (file.answers, file.episodes)]
    return Profiles(tools, held[0], held[1])


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, problem['loc'])) or 'the file'}: {problem['msg']}"


def _profile(read: _Profile) -> Profile:
    statements = tuple(_statement(dict(data)) for data in read.statements)
    return Profile(read.tool, read.answers, statements, tuple(Level(*level) for level in read.levels))


def _statement(data: dict[str, Any]) -> tuple[Statement, tuple[float, ...]]:
    kind, scores = KINDS[data.pop("kind")], tuple(map(float, data.pop("scores")))
    if len(scores) != 4:
        raise ValueError(f"{len(scores)} scores, not 4")
    if "forms" in data:
        data["forms"] = text_forms_from(data["forms"])
    return _adapter(kind).validate_python(data), scores


@cache
def _adapter(kind: type[Statement]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
