"""The faults of a campaign, as plans of the kernel: what goes wrong, on which tools, on which calls.

`unreachable`, `slow`, `hang`, `incorrect` and `delta` are the five of ChaosLLM; `none` is the baseline. Each is one
kind of the kernel under the parameters that a campaign file may set. A `Schedule` says which calls are struck. Every
other kind and condition needs a plan of one's own (docs/plans.md).
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sealegs.faults.kinds import Connection, Delay, Delta, Fault, Hang, Scramble
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import Always, AnyCondition, First, Tool, Window
from sealegs.faults.triggers import Probability as WithProbability
from sealegs.faults.user_error import UserError

FaultPlan = Plan
MANY = 1000  # bound of every count in a schedule


@dataclass(frozen=True, slots=True)
class Permanent:
    """Every call is struck in the same way: a wrong answer stays the same wrong answer."""


@dataclass(frozen=True, slots=True)
class Transient:
    """The first so many calls of each tool are struck; then all is well."""

    first: int


@dataclass(frozen=True, slots=True)
class BurstPattern:
    """Runs of faulted calls, counted per tool from 1.

    Attributes:
        start: the first faulted call.
        length: calls in a run.
        repeats: how many runs.
        gap: untouched calls between two runs.
    """

    start: int
    length: int
    repeats: int = 1
    gap: int = 1


@dataclass(frozen=True, slots=True)
class ProbabilityPattern:
    """Each call is struck with this probability, independently of the others."""

    p: float


Schedule = Permanent | Transient | BurstPattern | ProbabilityPattern
SCHEDULES = {  # the form of each in a text
    "permanent": "permanent",
    "transient": "transient:2",
    "burst": "burst:2:3 (start, length, then repeats and gap)",
    "probability": "probability:0.3",
}


@dataclass(frozen=True, slots=True)
class FaultParameter:
    """One setting of a fault.

    Attributes:
        type: `number` or `choice`.
        default: its value where none is given.
        meaning: one line for people, with the unit.
        above: a number must be greater than this.
        most: and no greater than this.
        choices: what a choice may be.
    """

    type: str
    default: float | str
    meaning: str
    above: float = 0.0
    most: float = math.inf
    choices: tuple[str, ...] = ()

    def wrong(self, value: Any) -> str:
        """The mistake in a value, to be read after it; empty where there is none."""
        if self.type == "choice":
            return "" if value in self.choices else f"is out of range; give one of {', '.join(self.choices)}"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return f"is not a number; give {self.meaning}"
        if not self.above < value <= self.most:
            return f"is out of range; give a number above {self.above:g} and at most {self.most:g}"
        return ""


@dataclass(frozen=True, slots=True)
class FaultForm:
    """A fault as a campaign names it.

    Attributes:
        meaning: what the agent sees.
        parameters: its settings by name.
        made: the kernel's fault for checked settings; None where nothing is injected.
    """

    meaning: str
    parameters: Mapping[str, FaultParameter]
    made: Callable[[Mapping[str, Any]], Fault] | None


def _form(meaning: str, made: Callable[[Mapping[str, Any]], Fault] | None, **parameters: FaultParameter) -> FaultForm:
    return FaultForm(meaning, MappingProxyType(parameters), made)


FAULTS: Mapping[str, FaultForm] = MappingProxyType(
    {
        "none": _form("no fault: the baseline", None),
        "unreachable": _form(
            "a connection error; the tool is not run",
            lambda given: Connection(mode=given["mode"]),
            mode=FaultParameter("choice", "refused", "how it fails", choices=("refused", "reset", "dns", "tls")),
        ),
        "slow": _form(
            "the right answer, late",
            lambda given: Delay(seconds=float(given["seconds"])),
            seconds=FaultParameter("number", 5.0, "seconds that each struck call takes longer", most=86400.0),
        ),
        "hang": _form("nothing, ever; the tool is not run", lambda given: Hang()),
        "incorrect": _form(
            "a wrong value of the right form: every letter and digit is another", lambda given: Scramble()
        ),
        "delta": _form(
            "numbers that are off by a bit; a text without numbers has one character changed",
            lambda given: Delta(offset=float(given["offset"]), typos=True),
            offset=FaultParameter("number", 0.1, "largest drift as a share of the number", most=1.0),
        ),
    }
)


def mistakes(fault: str, parameters: Mapping[str, Any]) -> list[str]:
    """The mistakes in a fault and its parameters, one sentence each."""
    form = FAULTS.get(fault)
    if form is None:
        return [f"there is no fault {fault!r}; {_instead(fault, FAULTS)}"]
    found = []
    for name, value in parameters.items():
        parameter = form.parameters.get(name)
        if parameter is None:
            known = _instead(name, form.parameters) if form.parameters else "it takes none"
            found.append(f"{fault} has no parameter {name!r}; {known}")
        elif wrong := parameter.wrong(value):
            found.append(f"{name} = {value!r} of {fault} {wrong} (default {parameter.default})")
    return found


def schedule_mistakes(schedule: Schedule) -> list[str]:
    """The mistakes in a schedule, one sentence each."""
    match schedule:
        case Transient(first):
            return _counts(("first", first))
        case BurstPattern(start, length, repeats, gap):
            return _counts(("start", start), ("length", length), ("repeats", repeats), ("gap", gap))
        case ProbabilityPattern(p):
            right = isinstance(p, (int, float)) and not isinstance(p, bool) and 0 <= p <= 1
            return [] if right else [f"a probability of {p!r} is out of range; give a number from 0 to 1"]
    return []


def schedule_from(text: str) -> Schedule:
    """The schedule that a text gives, in one of `SCHEDULES`' forms.

    Raises:
        UserError: it names none; the remedy follows a semicolon.
    """
    name, *given = text.split(":")
    if name not in SCHEDULES:
        near = difflib.get_close_matches(name, SCHEDULES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"write {', '.join(SCHEDULES.values())}"
        raise UserError(f"is not a schedule; {hint}")
    schedule = _scheduled(name, given)
    if schedule is None:
        raise UserError(f"does not have the form of its schedule; write {SCHEDULES[name]}")
    for wrong in schedule_mistakes(schedule):
        raise UserError(wrong)
    return schedule


def _scheduled(name: str, given: list[str]) -> Schedule | None:
    whole = [int(part) for part in given if re.fullmatch(r"\d{1,6}", part)]
    match name, len(given):
        case "permanent", 0:
            return Permanent()
        case "transient", 1 if whole:
            return Transient(whole[0])
        case "burst", (2 | 3 | 4) as count if len(whole) == count:
            return BurstPattern(*whole)
        case "probability", 1 if re.fullmatch(r"\d+(\.\d+)?", given[0]):
            return ProbabilityPattern(float(given[0]))
    return None


def experiment_plan(
    fault: str, parameters: Mapping[str, Any], schedule: Schedule, seed: int, tool: str = "*"
) -> FaultPlan:
    """The plan of an experiment.

    Args:
        fault: a name in `FAULTS`.
        parameters: its settings; defaults for those that are absent.
        schedule: which calls are struck.
        seed: part of the key of every random decision.
        tool: the name of the faulted tool, or a glob.

    Raises:
        UserError: no such fault, or a parameter or the schedule is wrong; the message holds every mistake.
    """
    wrong = [*mistakes(fault, parameters), *schedule_mistakes(schedule)]
    if wrong:
        raise UserError("\n".join(wrong))
    form = FAULTS[fault]
    if form.made is None:
        return Plan(name=fault, seed=seed)
    made = form.made({name: parameters.get(name, one.default) for name, one in form.parameters.items()})
    permanent = isinstance(schedule, Permanent)
    rules = tuple(
        Rule.model_validate(
            {
                "match": Tool(tool),
                "when": when,
                "fault": made,
                "persistence": "permanent" if permanent else "transient",
                "key": "order",  # so that records of one seed stay what they are
            }
        )
        for when in _conditions(schedule)
    )
    return Plan(name=fault, seed=seed, rules=rules)


def _conditions(schedule: Schedule) -> Iterable[AnyCondition]:
    match schedule:
        case Permanent():
            return [Always()]
        case Transient(first):
            return [First(first)]
        case ProbabilityPattern(p):
            return [WithProbability(float(p))]
        case BurstPattern(start, length, repeats, gap):
            begins = range(start, start + repeats * (length + gap), length + gap)
            return [Window((begin, begin + length - 1)) for begin in begins]


def _counts(*named: tuple[str, Any]) -> list[str]:
    wrong = [(name, n) for name, n in named if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MANY]
    return [f"{name} = {n!r} is out of range; give a whole number from 1 to {MANY}" for name, n in wrong]


def _instead(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"there is {', '.join(names)}"
