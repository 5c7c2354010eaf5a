"""Both judges' verdicts on traces in the published form.

A trace holds what the agent read, not what the tool gave or where a fault struck. So a fault is what differs from the
record at a place where one was planned: the first tool of a perturbed group that the agent touches, or the perturbed
step, in a transient mode the first time alone. What an action did is what the task file says that it does, each time
that it is answered cleanly. Our own traces record what came of each call when a failed call may have done its work;
there nothing is inferred. Where the file does not say what the answer must contain, the answer must tell something of
what each last step delivered, and nothing that no call delivered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from sealegs.faults import paths
from sealegs.faults.call import Call, Effect, Failure, Moment, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.scenarios.exchange.toolmaze_export import nodes_of
from sealegs.scenarios.exchange.toolmaze_format import ActionForm, CallForm, DeedForm, TaskForm, TraceForm
from sealegs.scenarios.exchange.toolmaze_import import Imported, import_all, parse_output
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.scoring import Case, Slot, judge
from sealegs.scoring.judge import invented_values
from sealegs.scoring.matching import TOLERANCE, close, right_arguments
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import Risk
from sealegs.tasks.value_matching import contains_value
from sealegs.traces import EpisodeEnded, FaultInjected, Record, Turn
from sealegs.traces.events import outcome_data, outcome_from

ERROR = re.compile(
    r"^\W*(?:\w*error\b|\w*exception\b|traceback\b|HTTP(?:/[\d.]+)? ?[45]\d\d|[45]\d\d\b)", re.IGNORECASE
)
IMPLICIT = ("P3", "P4")


class VerdictRow(TypedDict):
    """One judged trace."""

    task_id: str
    mode: str
    as_published: bool
    strict: bool
    reason: str


def trace_verdicts(tasks: Sequence[TaskForm], traces: Sequence[TraceForm]) -> list[VerdictRow]:
    """Both verdicts on every trace, in their order.

    Raises:
        UserError: a trace names a task or mode that is not there, or one that has no graph, or whose task names no
            victim of its mode's faults; every such trace is named.
    """
    found, left_out = import_all(tasks)
    by_id, reasons = {each.task.id: each for each in found}, dict(left_out)
    forms: dict[str, dict[str, TaskForm]] = {}
    for form in tasks:
        forms.setdefault(form.task_id, {})[form.perturbation_mode] = form
    rows: list[VerdictRow] = []
    problems: list[str] = []
    for number, trace in enumerate(traces, 1):
        place = f"trace {number} ({trace.task_id or 'no task_id'}, {trace.mode or 'no mode'})"
        modes = forms.get(trace.task_id, {})
        # A task with a single mode leaves no doubt about the mode of its trace.
        mode = trace.mode or (next(iter(modes)) if len(modes) == 1 else "")
        if trace.task_id in reasons:
            problems.append(f"{place}: the task cannot be judged: {reasons[trace.task_id]}")
        elif trace.task_id not in by_id:
            problems.append(f"{place}: there is no such task in the folder of tasks")
        elif not mode:
            problems.append(f"{place}: its mode is missing; write it into `mode` or into the file's name")
        else:
            form = modes.get(mode) or next(iter(modes.values()))
            imported = by_id[trace.task_id]
            # Without a victim nothing says where the fault struck, so the trace cannot be read as one under a fault.
            if mode in PERSISTENCE and not nodes_of(form.targets, imported.task.graph):
                problems.append(f"{place}: {_no_victim(form, mode)}")
            else:
                rows.append(_row(trace, mode, imported, form))
    if problems:
        raise UserError("\n".join(problems))
    return rows


def _no_victim(form: TaskForm, mode: str) -> str:
    """The reason why nothing can be judged of a fault at an unknown place."""
    found = f"names {', '.join(map(repr, form.targets))}, which no step calls" if form.targets else "names no victim"
    return f"under {mode} the task {found}; name a tool in `perturbation_target`, or mark its step with `is_perturbed`"


def _row(trace: TraceForm, mode: str, task: Imported, form: TaskForm) -> VerdictRow:
    graph = task.task.graph
    held = nodes_of(form.targets, graph) if mode in PERSISTENCE else {}
    slots = tuple(Slot(node, PERSISTENCE[mode]) for node in held)
    actions = {name: _action(name, each) for name, each in form.sealegs.actions.items()}
    risks = {
        graph.step_of[name].id: Risk(each.at, each.idempotent or bool(each.key))
        for name, each in form.sealegs.actions.items()
        if each.at is not None and name in graph.step_of
    }
    case = Case(task.task, task.right_run, mode, slots, risks, actions)
    record = _Reader(task, mode, held).record(trace)
    verdict = judge(record, case)
    reasons = [*verdict.reasons]
    # Without deliverables in the file the judge cannot check the answer, so this rule takes its place.
    if verdict.success and not task.tells and verdict.solvable:
        reasons += [*_untold(record, task), *invented_values(record, case)]
    return {
        "task_id": trace.task_id,
        "mode": mode,
        "as_published": verdict.published,
        "strict": not reasons,
        "reason": "; ".join(reasons) or "success",
    }


def _action(name: str, form: ActionForm) -> ToolSpec:
    return ToolSpec(name, effects=True, idempotent=form.idempotent, key=form.key, shown_by=form.shown_by)


def _untold(record: Record, task: Imported) -> Iterator[str]:
    """The last steps whose answers do not appear in the final answer."""
    graph = task.task.graph
    read = {need.node for step in graph.walk() for need in step.needs}
    for step in graph.walk():
        # Only one branch of a group is called, so no answer of its steps can be demanded.
        if node_of(step, graph) in read or step.id in read or step.id in graph.home:
            continue
        values = [v for _, v in paths.leaves(task.right_run.steps[step.id].output) if not isinstance(v, bool)]
        if values and not any(contains_value(record.answer or "", value, TOLERANCE) for value in values):
            yield f"the answer tells nothing of what {step.tool} delivered"


@dataclass
class _Reader:
    """Reads one trace against its task's records."""

    task: Imported
    mode: str
    targets: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        self.victims: dict[str, str] = {}
        self.faulted: set[str] = set()

    def record(self, trace: TraceForm) -> Record:
        """The trace as a record."""
        turns: list[Turn] = []
        answer: str | None = None
        called: dict[str, int] = {}
        for number, message in enumerate(trace.messages):
            if message.kind == "call" and message.tool_call is not None:
                form = message.tool_call
                call = Call(form.name, form.arguments, form.id or f"call {number}", called.get(form.name, 0))
                called[form.name] = call.nth + 1
                content = _result(trace, number, form)
                turns.append(
                    self._turn(call, content) if form.sealegs is None else _turn_of_deed(call, content, form.sealegs)
                )
            elif message.kind == "answer":
                answer = message.content if isinstance(message.content, str) else str(message.content)
        end = EpisodeEnded("answered") if answer is not None else EpisodeEnded("steps", "the trace has no final answer")
        return Record(f"{trace.task_id}/{self.mode}", {"mode": self.mode}, tuple(turns), answer, end)

    def _turn(self, call: Call, content: Any) -> Turn:
        if content is None:
            return Turn(call)
        shown, clean = _outcome(content), self._clean(call)
        # Compared first: an answer that is right was not struck, even where a fault was planned.
        if clean is not None and isinstance(shown, Value) and close(shown.value, clean):
            return Turn(call, shown, shown, effects=self._effects(call))
        if self._is_faulted(call.tool, isinstance(shown, Failure)):
            returned = None if clean is None else Value(clean)
            return Turn(call, returned, shown, (_injection(call, shown, returned, self.mode in IMPLICIT),))
        acted = isinstance(shown, Value) and self._acts(call.tool)
        return Turn(call, shown, shown, effects=self._effects(call) if acted else ())

    def _clean(self, call: Call) -> Any:
        """The answer that the record gives to this call; None where it has no such call."""
        step = self.task.task.graph.step_of.get(call.tool)
        if step is None or not right_arguments(call.arguments, self.task.right_run.steps[step.id]):
            return None
        return self.task.right_run.steps[step.id].output

    def _is_faulted(self, tool: str, failed: bool) -> bool:
        """Return whether a fault was planned for this call of the tool; a failure is not an implicit fault."""
        step = self.task.task.graph.step_of.get(tool)
        node = node_of(step, self.task.task.graph) if step else ""
        if tool not in self.targets.get(node, ()) or failed == (self.mode in IMPLICIT):
            return False
        first = self.victims.setdefault(node, tool) == tool and node not in self.faulted
        # Also if another tool was the victim: the group's first call is over.
        self.faulted.add(node)
        return first or (self.victims[node] == tool and PERSISTENCE[self.mode] == "permanent")

    def _acts(self, tool: str) -> bool:
        step = self.task.task.graph.step_of.get(tool)
        return step is not None and bool(self.task.right_run.steps[step.id].effects)

    def _effects(self, call: Call) -> tuple[Effect, ...]:
        step = self.task.task.graph.step_of.get(call.tool)
        if step is None or not self._acts(call.tool):
            return ()
        expected = self.task.right_run.steps[step.id]
        if right_arguments(call.arguments, expected):
            return expected.effects
        # An action on other arguments did something that no right step does.
        return (Effect("something unrecorded", call.tool, dict(call.arguments), call.id),)


def _turn_of_deed(call: Call, content: Any, deed: DeedForm) -> Turn:
    """A call whose outcome the trace itself gives."""
    returned = None if deed.said is None else outcome_from(deed.said)
    effects = tuple(Effect(e["action"], e["subject"], e["details"], call.id) for e in deed.effects)
    if content is None:
        return Turn(call, returned, effects=effects)
    shown = _outcome(content) if deed.struck or returned is None else returned
    injections = (_injection(call, shown, returned, deed.implicit, deed.moment),) if deed.struck else ()
    return Turn(call, returned, shown, injections, effects=effects)


def _result(trace: TraceForm, number: int, call: CallForm) -> Any:
    """The content that answers the call at this place: by its id, else the next answer of a tool of its name."""
    for message in trace.messages[number + 1 :]:
        # Some frameworks give no ids; then order and name have to do.
        if message.kind == "result" and (message.call_id == call.id if call.id else message.name == call.name):
            return message.content
    return None


def _outcome(content: Any) -> Outcome:
    value = parse_output(content)
    if isinstance(value, Mapping):
        error = value.get("error") or value.get("errors")
        failed = (
            str(value.get("status", "")).casefold() in ("error", "failed", "failure") or value.get("success") is False
        )
        if error or failed:
            return Failure(str(error or value.get("message") or value))
    if isinstance(value, str) and ERROR.search(value):
        return Failure(value)
    return Value(value)


def _injection(
    call: Call, shown: Outcome, returned: Outcome | None, implicit: bool, moment: Moment | Literal[""] = ""
) -> FaultInjected:
    return FaultInjected(
        call=call.id,
        rule="read from the trace",
        kind="implicit" if implicit else "explicit",
        implicit=implicit,
        delivered=True,
        runs=0,
        waited=0.0,
        said=None if returned is None else outcome_data(returned),
        shown=outcome_data(shown),
        moment=moment,
    )
