"""The report of a hunt: for each failure a plan file, a paragraph, and a pytest test to paste."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import Always, First, Nth
from sealegs.hunt.plan_search import REPEATS, Finding, HuntResult, rule_tool
from sealegs.hunt.trial import Kind
from sealegs.traces import FaultInjected

TESTS = "test_hunt.py"
LONGEST = 160  # characters of an answer that are shown
REMEDIES: Mapping[tuple[Kind, bool], str] = {
    ("crashed", False): "A good agent takes a tool's failure for a result: it tries again where that helps, takes "
    "another way, or stops and says so.",
    ("crashed", True): "A good agent checks an answer before it uses it, and takes one that cannot be used for a "
    "failure.",
    ("endless", False): "A good agent counts its tries: an error that stays the same is a reason to take another way, "
    "or to stop and say so.",
    ("endless", True): "A good agent counts its tries: an answer that stays unusable is a reason to take another way, "
    "or to stop and say so.",
    (
        "doubled",
        False,
    ): "A good agent looks whether a call took effect before it makes it again, or gives all tries of it "
    "one idempotency key; what is harmless to repeat is declared so.",
    (
        "doubled",
        True,
    ): "A good agent looks whether a call took effect before it makes it again, or gives all tries of it "
    "one idempotency key: that an answer cannot be used does not say that nothing was done.",
    ("wrong", False): "A good agent knows what was done and what was not before it continues, and says so at the end.",
    ("wrong", True): "A good agent asks of every answer whether there can be such a one, asks again once, then takes "
    "another way or stops. It neither uses nor repairs the value.",
}


@dataclass(frozen=True, slots=True)
class FailureStory:
    """One failure, as it is handed over.

    Attributes:
        file: the plan file's name.
        plan: the plan, under the name of what it does.
        story: the explanation, one paragraph.
        test: the test's function.
    """

    file: str
    plan: Plan
    story: str
    test: str

    @property
    def yaml(self) -> str:
        """The plan file: the explanation as a comment, then the plan."""
        comment = textwrap.fill(self.story, 110, initial_indent="# ", subsequent_indent="# ", break_long_words=False)
        return f"{comment}\n{self.plan.to_yaml()}"


def failure_story(hunted: HuntResult, number: int) -> FailureStory:
    """The hunt's finding of this number, counted from 1."""
    finding = hunted.findings[number - 1]
    name = _slug(finding.name)[:80]
    file = f"{number}-{name}.yaml"
    story = explanation(hunted, finding)
    shown = textwrap.fill(story, 110, subsequent_indent="    ", break_long_words=False)
    escaped = shown.replace("\\", "\\\\").replace('"""', "'''")
    if escaped.endswith('"'):
        escaped += " "
    test = hunted.target.test(number, re.sub(r"\W", "_", name), file, escaped)
    return FailureStory(file, finding.plan.model_copy(update={"name": name}), story, test)


def hunt_files(hunted: HuntResult, found: Sequence[FailureStory]) -> dict[str, str]:
    """The texts of the plan files, and of the tests, by file name; none where nothing was found."""
    if not found:
        return {}
    head = f'"""What `sealegs hunt` found of {hunted.target.name}: each fails until the agent withstands its plan."""'
    tests = "\n\n".join(one.test for one in found)
    return {
        **{one.file: one.yaml for one in found},
        TESTS: "\n".join([head, "", *hunted.target.head(), "", "", tests]),
    }


def hunt_summary(hunted: HuntResult, found: Sequence[FailureStory], folder: Path) -> list[str]:
    """The hunt in lines for people."""
    lines = []
    for number, one in enumerate(found, 1):
        lines += [textwrap.fill(f"{number}. {one.story}", 110), "", one.plan.to_yaml(), one.test]
    counted = f"{hunted.runs} runs of {hunted.target.name} over {_listed([f'`{tool}`' for tool in hunted.tools])}"
    distinct = {0: "no failure", 1: "one failure"}.get(len(found), f"{len(found)} distinct failures")
    lines.append(f"{counted}: {distinct}.")
    if not hunted.steady:
        lines.append("Two runs without faults made different calls: such an agent's failures may not come again.")
    if hunted.interrupted:
        lines.append("The hunt was stopped before the search was over.")
    if hunted.spent:
        lines.append("The runs were used up before the search was over; --runs gives it more.")
    if found:
        lines.append(
            f"Plans and {TESTS} are in {folder}; run them: python -m pytest {shlex.quote(str(folder / TESTS))}"
        )
    return lines


def hunt_data(hunted: HuntResult, found: Sequence[FailureStory]) -> dict[str, Any]:
    """The hunt as JSON data."""
    return {
        "target": hunted.target.name,
        "tools": list(hunted.tools),
        "runs": hunted.runs,
        "steady": hunted.steady,
        "spent": hunted.spent,
        "interrupted": hunted.interrupted,
        "findings": [
            {
                "file": one.file,
                "plan": one.plan.as_data(),
                "kind": finding.symptom.kind,
                "text": finding.symptom.text,
                "place": finding.symptom.place,
                "repeated": finding.repeated,
                "of": REPEATS,
                "explanation": one.story,
            }
            for one, finding in zip(found, hunted.findings, strict=True)
        ],
    }


def explanation(hunted: HuntResult, finding: Finding) -> str:
    """One paragraph on a finding: its faults, the agent's failure, how far it goes, and the conduct of a good agent."""
    parts = [_injections(finding), _symptom(finding), *_neighbours(finding), _sureness(finding)]
    assumed = [s for s in _assumptions(hunted) if any(s.startswith(f"{rule_tool(r)}.") for r in finding.plan.rules)]
    if assumed and any(rule.fault.kind == "physics_violation" for rule in finding.plan.rules):
        parts.append(f"Assumed of the tool, since no answer was ever otherwise: {', '.join(assumed)}.")
    implicit = all(rule.fault.implicit for rule in finding.plan.rules)
    return " ".join([*parts, REMEDIES[finding.symptom.kind, implicit]])


def _injections(finding: Finding) -> str:
    sentences = []
    for rule in finding.plan.rules:
        injection = _first(finding, rule.id)
        done = rule.fault.instead and injection is not None and injection.moment == "after"
        kind = f"{rule.fault.kind} after the work" if done else rule.fault.kind
        sentences.append(f"On {_when(rule)} of `{rule_tool(rule)}` ({kind}), {_unstopped(_shown(injection))}.")
    return " ".join(sentences)


def _shown(injection: FaultInjected | None) -> str:
    """The words for the tool's answer and the one that the agent was shown; for two objects, for their differences."""
    if injection is None or injection.shown is None:
        return "nothing comes back"
    returned, shown = injection.said, injection.shown
    if returned is None or returned == shown:
        return f"the agent is shown {_text(shown)}"
    # A failure has no value: where it took an answer's place, or the reverse, both are shown whole.
    before, after = returned.get("value"), shown.get("value")
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        changed = {key: item for key, item in before.items() if key not in after or after[key] != item}
        now = {key: item for key, item in after.items() if key not in before or before[key] != item}
        if not now:
            return f"what the agent is shown lacks {_text({'value': changed})}"
        return f"the tool says {_text({'value': changed})}, the agent is shown {_text({'value': now})}"
    return f"the tool says {_text(returned)}, the agent is shown {_text(shown)}"


def _symptom(finding: Finding) -> str:
    symptom, turns = finding.symptom, finding.trial.record.own
    place = f" ({symptom.place})" if symptom.place else ""
    if symptom.kind == "crashed":
        return f"The agent breaks down with {_unstopped(symptom.text)}{place}."
    if symptom.kind == "doubled":
        return f"The agent does it twice: {_unstopped(symptom.text)}."
    if symptom.kind == "wrong":
        text = textwrap.shorten(symptom.text, LONGEST, placeholder=" ...")
        return f"The agent continues to its end, and the check says: {_unstopped(text)}{place}."
    if turns[-1].shown is None:  # the call on which it was cut off
        turns = turns[:-1]
    last, same = turns[-1].call, 0
    for turn in reversed(turns):
        if (turn.call.tool, turn.call.arguments) != (last.tool, last.arguments):
            break
        same += 1
    again = f", the last {same} of them the same call of `{last.tool}`" if same > 1 else ""
    return f"The agent does not stop: it had made {len(turns)} calls{again}, when it was cut off{place}."


def _unstopped(text: str) -> str:
    """A text for the end of a sentence: many messages bring a full stop of their own."""
    return text if text.endswith("...") else text.removesuffix(".")


def _neighbours(finding: Finding) -> list[str]:
    if not finding.described:
        return []
    rules = finding.plan.rules
    if len(rules) > 1:
        lines = ["None of these faults does this alone."]
        for rule, faults in zip(rules, finding.faults, strict=True):
            if faults:
                lines.append(f"In the place of the one on `{rule_tool(rule)}`, so do {', '.join(_grouped(faults))}.")
        return lines
    lines = []
    if finding.tools:
        lines.append(f"The same fault does the same on {_listed([f'`{tool}`' for tool in finding.tools])}.")
    if finding.faults[0]:
        lines.append(f"So do other faults there: {', '.join(_grouped(finding.faults[0]))}.")
    elif finding.others:
        lines.append(f"None of {finding.others} other faults of its like that were tried there does this.")
    return lines


def _grouped(faults: Sequence[str]) -> list[str]:
    """The faults' names, many of one kind as one."""
    kinds: dict[str, list[str]] = {}
    for fault in faults:
        kinds.setdefault(fault.partition(" ")[0], []).append(fault)
    return [
        name
        for kind, names in kinds.items()
        for name in ([f"{kind} in {len(names)} forms"] if len(names) > 2 and kind != "error" else names)
    ]


def _sureness(finding: Finding) -> str:
    if not finding.described:
        return "Without faults the agent passes; the hunt was stopped before a smaller plan was sought."
    smallest = "no smaller plan does" if finding.smallest else "the runs were used up before a smaller one was sought"
    return (
        f"Without faults the agent passes; with this plan it failed again in {finding.repeated} of {REPEATS} runs, and "
        f"{smallest}."
    )


def _assumptions(hunted: HuntResult) -> list[str]:
    assumed: Mapping[str, Any] = getattr(hunted.target, "assumed", {})
    return [f"{spec.name}.{i.says()}" for spec in assumed.values() for i in spec.invariants]


def _first(finding: Finding, rule: str) -> FaultInjected | None:
    """The first delivered injection of a rule."""
    injections = (
        injection for turn in finding.trial.record.turns for injection in turn.injections if injection.delivered
    )
    return next((injection for injection in injections if injection.rule == rule), None)


def _when(rule: Rule) -> str:
    match rule.when:
        case Always():
            return "every call"
        case Nth(nth=1):
            return "the first call"
        case Nth(nth=nth):
            return f"call {nth}"
        case First(first=first):
            return f"the first {first} calls"
        case _:
            return "some calls"


def _text(outcome: Mapping[str, Any]) -> str:
    """An outcome of a record in a few words."""
    if "value" in outcome:
        text = json.dumps(outcome["value"], ensure_ascii=False)
    else:
        failure = outcome["failure"]
        status = f"{failure['status']} " if failure.get("status") else ""
        text = f"the failure {status}{failure.get('message') or failure.get('type')}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text).strip("-")
