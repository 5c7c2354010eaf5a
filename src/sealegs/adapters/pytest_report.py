"""Pytest's report of faults: the section at the end, the words under a failure, the reason of an inconclusive test."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sealegs.faults.call import Call, Outcome, render
from sealegs.faults.plan import Plan
from sealegs.faults.visible_text import visible
from sealegs.inject import Injection
from sealegs.traces import Repetition
from sealegs.traces.repeated_calls import count_unproven, describe_unproven

if TYPE_CHECKING:
    import pytest

LONGEST = 200  # characters of an answer that are shown
SHOWN = 8  # faults that are listed under a failure


def episode_data(
    plan: Plan, calls: Iterable[Call], injections: Iterable[Injection], repeated: Iterable[Repetition] = ()
) -> dict[str, Any]:
    """One episode as plain data."""
    injections = tuple(injections)
    return {
        "plan": plan.name,
        "seed": plan.seed,
        "rules": len(plan.rules),
        "calls": dict(Counter(call.tool for call in calls)),
        "fired": dict(Counter(injection.rule for injection in injections)),
        "delivered": dict(Counter(injection.rule for injection in injections if injection.delivered)),
        **count_unproven(repeated),
    }


def describe_repetitions(repeated: Iterable[Repetition]) -> str:
    """A message to fail with about calls that the agent made twice with effect; empty where it made none."""
    doubled = [one.says() for one in repeated if one.proven]
    if not doubled:
        return ""
    more = f"; and {_times(len(doubled) - 1, 'call')} more did so" if len(doubled) > 1 else ""
    return f"doubled: {doubled[0]}{more}. Look whether a call took effect before you repeat it, or give it one key."


def inconclusive(episodes: Sequence[Mapping[str, Any]]) -> str:
    """The reason why the test says nothing about faults; empty where it does, and where no plan had a rule."""
    if any(one["delivered"] for one in episodes) or not any(one["rules"] for one in episodes):
        return ""
    calls, fired = _sum(episodes, "calls"), _sum(episodes, "fired")
    if fired:
        return f"every fault that fired ({_counted(fired)}) came to nothing"
    if calls:
        return f"no rule fired on its {_times(calls.total(), 'call')} ({_counted(calls)})"
    return "no call came through the session; mark the tools with @sealegs.tool, or wrap them with faults.session"


def failure(
    episodes: Iterable[tuple[Plan, Sequence[Injection]]], test: str, seed: int | None, run: int | None = None
) -> str:
    """The text shown under a failed test.

    Args:
        episodes: each plan with what fired.
        test: the test's id from the working directory.
        seed: what `--faults-seed` gave.
        run: the number of the run that it is about, where the test has runs.
    """
    lines: list[str] = []
    for plan, injections in episodes:
        name = plan.name if run is None else f"{plan.name}, run {run}"
        delivered = [injection for injection in injections if injection.delivered]
        lines.append(f"plan {name}, seed {plan.seed}: {_delivered(len(delivered))}")
        lines += [f"  {_injection(injection)}" for injection in delivered[:SHOWN]]
        if len(delivered) > SHOWN:
            lines.append(f"  and {len(delivered) - SHOWN} more")
        lines += ["", plan.to_yaml()]
    option = "" if seed is None else f" --faults-seed {seed}"
    option += "" if run is None else f" --faults-run {run}"
    return "\n".join([*lines, f"replay: pytest {shlex.quote(test)}{option}"])


def properties(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """The figures that reports for machines (JUnit) carry."""
    episodes = found["episodes"]
    return [
        ("faults.plan", ", ".join(dict.fromkeys(one["plan"] for one in episodes))),
        ("faults.calls", _sum(episodes, "calls").total()),
        ("faults.delivered", _sum(episodes, "delivered").total()),
        *((f"faults.{name}", value) for name, value in found.get("runs", {}).items()),
    ]


def write_section(reporter: pytest.TerminalReporter, tests: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Write the section `faults`: one line a test, then the sums. With `-q`, only what is inconclusive and the sums."""
    reporter.write_sep("=", "faults")
    for test, found in tests:
        # A test with runs brings a line of its own: one for each of its many episodes would fill the screen.
        line = f"{test}: {found.get('line') or '; '.join(map(_episode, found['episodes']))}"
        if found["inconclusive"]:
            reporter.write_line(visible(f"{line}; inconclusive: {found['inconclusive']}"), yellow=True)
        elif reporter.verbosity >= 0:
            reporter.write_line(visible(line))
    episodes = [one for _, found in tests for one in found["episodes"]]
    # Also with -q: a deed done twice is harm that no assertion has to notice.
    for line in describe_unproven({kind: _sum(episodes, kind) for kind in ("perhaps", "in doubt")}):
        reporter.write_line(visible(line), yellow=True)
    doubtful = sum(bool(found["inconclusive"]) for _, found in tests)
    sums = [
        _times(len(tests), "test"),
        _times(_sum(episodes, "calls").total(), "call"),
        _delivered(_sum(episodes, "delivered").total()),
        *([f"{doubtful} inconclusive"] if doubtful else []),
    ]
    reporter.write_line(", ".join(sums))


def _episode(one: Mapping[str, Any]) -> str:
    calls, delivered = Counter(one["calls"]), Counter(one["delivered"])
    which = f" ({_counted(delivered)})" if delivered else ""
    return (
        f"{one['plan']} (seed {one['seed']}): {_times(calls.total(), 'call')}, {_delivered(delivered.total())}{which}"
    )


def _injection(injection: Injection) -> str:
    """One delivered fault."""
    parts = [f"{injection.call.tool} call {injection.call.nth + 1}: {injection.rule} ({injection.kind})"]
    if injection.waited:
        parts.append(f"waited {injection.waited:g} s")
    if injection.said is not None and injection.said != injection.shown:
        parts.append(f"the tool said {_text(injection.said)}")
    if injection.shown is not None:
        parts.append(f"the agent was shown {_text(injection.shown)}")
    return ", ".join(parts)


def _text(outcome: Outcome) -> str:
    text = render(outcome)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _sum(episodes: Iterable[Mapping[str, Any]], name: str) -> Counter[str]:
    whole: Counter[str] = Counter()
    for one in episodes:
        whole.update(one[name])
    return whole


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _delivered(count: int) -> str:
    return f"{_times(count, 'fault')} delivered"


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
