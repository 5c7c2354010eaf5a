"""Knowledge of an eval's tools that nobody here wrote, as data: one YAML file for each eval.

```yaml
tasks: [inspect_evals/tau2_airline]
answers: json
tools:
  get_reservation_details:
    acts: false
    invariants:
      - echo: {argument: reservation_id, field: reservation_id}
      - bounds: {field: total_baggages, minimum: 0}
  cancel_reservation:
    acts: true
    again: done again
    shown_by:
      tool: get_reservation_details
      arguments: {reservation_id: {given: reservation_id}}
      done: {path: status, equals: {fixed: cancelled}}
```
`acts` says whether a call changes the eval's environment, `again` what a second identical call does, `shown_by` which
read shows that it was done (in the form of a recovery plan), `returns` and `invariants` what holds of every right
answer. `unknown`, and whatever is left out, declares nothing. `knowledge_check` runs each statement against the eval's
own environment. It cannot say what one call means for a later one, nor describe tools that an eval makes for a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sealegs.faults.invariants import Invariant
from sealegs.faults.plan_files import read_data_file
from sealegs.faults.problems import abbreviate
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.plan_alternatives import AlternativeSettings
from sealegs.recovery.plan_checks import ToolSettings, VerifySettings
from sealegs.recovery.recovery_plan import RecoveryPlan
from sealegs.suites.inspect_eval.knowledge_answers import AnswerForm
from sealegs.suites.inspect_eval.knowledge_invariants import InvariantSettings

Again = Literal["refused", "no effect", "done again", "unknown"]
SWAPPED = "irrelevant_response"  # made from the tool's answer to other arguments, which a foreign tool cannot give dry
LEAKED = "tool_leakage"  # a sign of it is wrong in the answer of any tool
EMPTIED = "missing_required_fields"
SHIPPED = "known_evals"


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KnownCall(_Read):
    """A call of a tool, by name."""

    tool: str
    arguments: Mapping[str, Any] = Field(default_factory=dict)


class ExampleCall(_Read):
    """Arguments with which a tool can be tried in a fresh environment, after other calls where it needs some."""

    arguments: Mapping[str, Any] = Field(default_factory=dict)
    after: tuple[KnownCall, ...] = ()


class ToolKnowledge(_Read):
    """The knowledge of one tool; whatever is left out is not known."""

    acts: bool | Literal["unknown"] = "unknown"
    again: Again = "unknown"
    shown_by: VerifySettings | None = None
    returns: Mapping[str, Any] = Field(default_factory=dict)
    invariants: tuple[InvariantSettings, ...] = ()
    examples: tuple[ExampleCall, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> ToolKnowledge:
        if self.acts is not True and (self.again != "unknown" or self.shown_by is not None):
            raise ValueError("`again` and `shown_by` describe a tool that acts; leave them out, or set `acts: true`")
        return self

    @property
    def statements(self) -> tuple[Invariant, ...]:
        """The invariants as the kernel has them."""
        return tuple(one.invariant() for one in self.invariants)

    @property
    def harmless_again(self) -> bool:
        """Whether a second identical call is declared to change nothing further."""
        return self.acts is False or self.again in ("refused", "no effect")

    def spec(self, name: str) -> ToolSpec:
        """The tool's spec as faults, recovery and judges take it."""
        return ToolSpec(
            name,
            returns=self.returns,
            invariants=self.statements,
            effects=None if self.acts == "unknown" else self.acts,
            idempotent=self.acts is True and self.harmless_again,
            examples=tuple(one.arguments for one in self.examples),
        )

    def settings(self) -> ToolSettings:
        """The tool's settings as a recovery plan takes them."""
        return ToolSettings(
            effects=None if self.acts == "unknown" else self.acts,
            idempotent=self.acts is True and self.harmless_again,
            verify=self.shown_by,
        )

    @property
    def detectable(self) -> tuple[str, ...]:
        """The implicit kinds whose answers contradict what is declared here; none if nothing is declared."""
        if self.acts == "unknown" and not (self.invariants or self.returns):
            return ()
        families = {one.family for one in self.statements} - {SWAPPED}
        return tuple(sorted(families | {LEAKED} | ({EMPTIED} if self.returns.get("required") else set())))


class EvalKnowledge(_Read):
    """The knowledge of the tools of an eval.

    Attributes:
        tasks: the names of the tasks that it is about, as Inspect knows them.
        answers: how the tools write data: as JSON, or as YAML and as Python writes a mapping.
        bookkeeping: dotted paths in the sample's store that count calls and are not part of what the tools act on.
        tools: the agent's tools.
        simulated_user: the tools that a simulated user calls, which are not the agent's. Where it is named at all, if
            only as `{}`, a model plays the user, and its words are not the agent's.
        alternatives: other ways to what a tool gives.
    """

    tasks: tuple[str, ...] = Field(min_length=1)
    answers: AnswerForm = "json"
    bookkeeping: tuple[str, ...] = ()
    tools: Mapping[str, ToolKnowledge]
    simulated_user: Mapping[str, ToolKnowledge] = Field(default_factory=dict)
    alternatives: tuple[AlternativeSettings, ...] = ()

    def is_about(self, task: str) -> bool:
        """Return whether the file names this task, with or without what is before the slash."""
        return any(_same_task(task, known) for known in self.tasks)

    @model_validator(mode="after")
    def _names_known(self) -> EvalKnowledge:
        both = sorted(self.tools.keys() & self.simulated_user.keys())
        if both:
            raise ValueError(
                f"{', '.join(both)}: listed both under `tools` and under `simulated_user`; list each tool once"
            )
        for name, tool in self.everyone.items():
            if tool.shown_by is not None and tool.shown_by.tool not in self.everyone:
                raise ValueError(f"{name}: the tool {tool.shown_by.tool!r} in `shown_by` is not in this file; add it")
            if tool.shown_by is not None and self.everyone[tool.shown_by.tool].acts is not False:
                raise ValueError(
                    f"{name}: the tool {tool.shown_by.tool!r} in `shown_by` must have `acts: false`, because it "
                    "only looks"
                )
        for way in self.alternatives:
            strange = [one for one in (way.tool, *way.alternative().tools()) if one not in self.tools]
            if strange:
                raise ValueError(
                    f"the alternative for {way.tool!r} needs {', '.join(map(repr, strange))}, which `tools` does not "
                    "list; add it"
                )
        return self

    @property
    def everyone(self) -> Mapping[str, ToolKnowledge]:
        """The agent's tools and the simulated user's."""
        return {**self.tools, **self.simulated_user}

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The declared properties of each tool, for a session."""
        return tuple(tool.spec(name) for name, tool in self.everyone.items())

    @property
    def user_tools(self) -> frozenset[str]:
        """The tools that only a simulated user calls."""
        return frozenset(self.simulated_user)

    @property
    def has_user(self) -> bool:
        """Whether the file says that a model plays a user, with or without tools."""
        return "simulated_user" in self.model_fields_set

    @cached_property
    def implicit(self) -> Mapping[str, tuple[str, ...]]:
        """The implicit kinds of fault, by tool of the agent, that can be recognised from its right answers."""
        return {name: kinds for name, tool in self.tools.items() if (kinds := tool.detectable)}

    def recovery_plan(self) -> RecoveryPlan | None:
        """A recovery plan that declares this; None where nothing is known of any tool."""
        known = {name: tool for name, tool in self.everyone.items() if tool.acts != "unknown"}
        if not known and not self.alternatives:
            return None
        return RecoveryPlan(
            tools={name: tool.settings() for name, tool in known.items()}, alternatives=self.alternatives
        )


def load_knowledge(name_or_path: str | Path) -> EvalKnowledge | None:
    """The knowledge of an eval's tools.

    Args:
        name_or_path: a task's name as Inspect knows it (`inspect_evals/tau2_airline`, or without what is before the
            slash), the name of a shipped file (`agentdojo_banking`), or the path of a file of your own. All shipped
            files that name the task are taken together.

    Returns:
        None where no shipped file is about this task.

    Raises:
        UserError: the file cannot be read or is not such a file, with everything that is wrong.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith((".yaml", ".yml", ".json")):
        return read_knowledge(Path(name_or_path))
    shipped = shipped_knowledge()
    if text in shipped:
        return shipped[text]
    return _shipped_about(text)


def read_knowledge(path: Path) -> EvalKnowledge:
    """The knowledge in a file.

    Raises:
        UserError: it cannot be read, or is not such a file; the message holds everything that is wrong.
    """
    data = read_data_file(path)
    try:
        return EvalKnowledge.model_validate({} if data is None else data)
    except ValidationError as error:
        wrong = [
            f"  {'.'.join(map(str, item['loc'])) or 'the file'}: {abbreviate(item['input'])}: {item['msg']}"
            for item in error.errors()
        ]
        raise UserError("\n".join([f"{path} is not a valid knowledge file:", *wrong])) from None


def shipped_knowledge() -> dict[str, EvalKnowledge]:
    """The files that come with Sealegs, by name."""
    return dict(_shipped())


@cache
def _shipped() -> Mapping[str, EvalKnowledge]:
    folder = Path(str(files("sealegs.suites.inspect_eval").joinpath(SHIPPED)))
    return {path.stem: read_knowledge(path) for path in sorted(folder.glob("*.yaml"))}


@cache
def _shipped_about(name: str) -> EvalKnowledge | None:
    """All shipped files that name the task, taken together."""
    about = [one for one in _shipped().values() if one.is_about(name)]
    return _joined(name, about) if about else None


def _same_task(wanted: str, known: str) -> bool:
    return wanted == known or wanted.rpartition("/")[2] == known.rpartition("/")[2]


def _joined(name: str, found: Iterable[EvalKnowledge]) -> EvalKnowledge:
    first, *others = found
    joined = first
    for other in others:
        if other.answers != joined.answers:
            raise UserError(f"the shipped files about {name} differ in `answers`; name one of them")
        joined = EvalKnowledge(
            tasks=joined.tasks,
            answers=joined.answers,
            bookkeeping=tuple(dict.fromkeys((*joined.bookkeeping, *other.bookkeeping))),
            tools=_united(name, joined.tools, other.tools),
            alternatives=(*joined.alternatives, *other.alternatives),
            **_joined_user(name, joined, other),
        )
    return joined


def _joined_user(name: str, left: EvalKnowledge, right: EvalKnowledge) -> dict[str, Mapping[str, ToolKnowledge]]:
    """The simulated user of two suites, where either has one."""
    if not (left.has_user or right.has_user):
        return {}
    return {"simulated_user": _united(name, left.simulated_user, right.simulated_user)}


def _united(
    name: str, left: Mapping[str, ToolKnowledge], right: Mapping[str, ToolKnowledge]
) -> dict[str, ToolKnowledge]:
    """The tools of two suites of one eval: shared tools are declared alike, but for a look that one suite lacks."""
    united = {**left, **right}
    for tool in left.keys() & right.keys():
        one, other = left[tool], right[tool]
        shown = one.shown_by or other.shown_by
        if (one.shown_by and other.shown_by and one.shown_by != other.shown_by) or _common_facts(one) != _common_facts(
            other
        ):
            raise UserError(f"the shipped files about {name} contradict each other about {tool}; make them agree")
        united[tool] = one.model_copy(update={"shown_by": shown})
    return united


def _common_facts(tool: ToolKnowledge) -> ToolKnowledge:
    """Return what is declared of a tool in every suite: no examples, and no look, since its tool may be missing."""
    return tool.model_copy(update={"shown_by": None, "examples": ()})
