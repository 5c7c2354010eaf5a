"""One trajectory: its order, and playing it in the world up to its end or its cut.

All that the agent sees and says is kept as messages, the truth as a record that the judge reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sealegs.agents import Briefing, Say, UseTool
from sealegs.faults import seeds
from sealegs.faults.call import Call, Failure, Layer, Outcome, no_such_tool, render
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.bank.index import shipped_bank
from sealegs.recovery.policies.advise import Adviser, with_note
from sealegs.recovery.signature import signature
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.scenarios.scenario import TOOL_TIMEOUT
from sealegs.scenarios.system_prompts import scenario_prompt
from sealegs.scoring import Case, Slot, Verdict, judge
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import Risk
from sealegs.tasks.graph import Step
from sealegs.traces import Recorder
from sealegs.traces.record import Record, build_record
from sealegs.training.data.expert import Doing, Expert
from sealegs.training.data.expert_wording import expert_closing, expert_thought
from sealegs.training.data.failure_catalogue import FailureKind
from sealegs.training.data.slips import CallMistake, make_mistake
from sealegs.training.data.step_context import StepContext, context_of_step
from sealegs.training.data.task_sources import TaskVariant
from sealegs.world.state import World

MOST_CALLS = 40
Message = dict[str, Any]


@dataclass(frozen=True)
class TrajectoryWording:
    """The wording of a trajectory.

    Attributes:
        thought: the text that goes with a call, given its context.
        closing: a final answer put into other words, given its context and the answer.
        adviser: whose notes are in tools' messages.
        every: whether a note is in every message of a failing tool, as the layer has it; otherwise in the first.
    """

    thought: Callable[[StepContext], str]
    closing: Callable[[StepContext, str], str]
    adviser: Callable[[], Adviser]
    every: bool = False


ENGLISH = TrajectoryWording(expert_thought, expert_closing, shipped_bank)


@dataclass(frozen=True)
class TrajectoryOrder:
    """The order for one trajectory.

    Attributes:
        variant: the task.
        specs: the tools that are offered.
        prompt: the name of the system prompt; empty for none.
        kind, mode, step, plan: the failure and where it strikes; None, empty, None and an empty plan in a clean one.
        noted: whether the bank's nearest exemplar is in the tool's message.
        key: names all its random decisions.
        voice: the wording.
        straight: whether the expert takes the first of equally good calls.
        held_out: whether the forms that are kept apart for tests are used.
    """

    variant: TaskVariant
    specs: tuple[ToolSpec, ...]
    prompt: str
    kind: FailureKind | None
    mode: str
    step: Step | None
    plan: Plan
    noted: bool
    key: tuple[object, ...]
    voice: TrajectoryWording = ENGLISH
    straight: bool = False
    held_out: bool = False

    @property
    def hopeless(self) -> bool:
        """Whether an agent learns that the failure stays."""
        kind = self.kind
        return kind is not None and kind.lasts == "permanent" and (self.noted or not kind.unsaid)

    @property
    def case(self) -> Case:
        """The case that a judge of the trajectory needs."""
        slots: tuple[Slot, ...] = ()
        if self.kind is not None and not self.kind.slip and self.step is not None:
            slots = (Slot(node_of(self.step, self.variant.task.graph), PERSISTENCE[self.mode]),)
        graph = self.variant.task.graph
        actions = {spec.name: spec for spec in self.specs if spec.effects and spec.shown_by}
        risks = {
            step.id: Risk("before", actions[step.tool].idempotent) for step in graph.walk() if step.tool in actions
        }
        return Case(self.variant.task, self.variant.right, self.mode or "NP", slots, risks, actions)


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """A message of a model: its text, and the calls that it makes."""

    text: str
    uses: tuple[UseTool, ...] = ()


Teacher = Callable[[list[Message], tuple[ToolSpec, ...], str], ModelMessage]


class NoTrajectory(Exception):
    """An attempt that gives no trajectory; the message says why, in few words."""


@dataclass
class Trajectory:
    """One trajectory that was played.

    Attributes:
        messages: system, user, assistant and tool, in the order they came; `recovery` marks corrective segments, and
            `train` is false on the agent's own wrong calls.
        found: the record.
        verdict: the judge's.
        at: the position of the call that failed, from 0; None in a clean one.
        doings: what the expert did from the failure on.
        exemplar: the bank's exemplar in the tool's message, where one is.
    """

    messages: list[Message] = field(default_factory=list)
    found: Record | None = None
    verdict: Verdict | None = None
    at: int | None = None
    doings: list[Doing] = field(default_factory=list)
    exemplar: str = ""

    @property
    def judged(self) -> Verdict:
        """The verdict of a trajectory that was played to its end."""
        assert self.verdict is not None
        return self.verdict


class TrajectoryPlayer:
    """Plays one trajectory.

    Args:
        order: what it is to be.
        layers: on the seam.
    """

    def __init__(self, order: TrajectoryOrder, layers: Sequence[Layer] = ()) -> None:
        self.order = order
        self.draw = seeds.stream(*order.key, "play")
        self.specs = {spec.name: spec for spec in order.specs}
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("/".join(map(str, order.key)), {"mode": order.mode or "NP"})
        self.world = World(self.recorder.effect)
        self.session = Session(
            order.plan,
            episode="/".join(map(str, order.key)),
            specs=order.specs,
            layers=layers,
            clock=clock,
            timeout=TOOL_TIMEOUT,
            watcher=self.recorder,
        )
        self.made = Trajectory(messages=[{"role": "user", "content": order.variant.task.request.strip()}])
        if order.prompt:
            self.made.messages.insert(0, {"role": "system", "content": scenario_prompt(order.prompt, DRAW).strip()})
        self.calls = 0
        self.slip: CallMistake | None = None

    def call(self, use: UseTool) -> Outcome:
        """Make one call in the world; a slip is refused in the words of its kind."""
        self.calls += 1
        corpus = self.order.variant.base.corpus

        def run(call: Call) -> Outcome:
            if call.tool not in self.specs:
                return no_such_tool(call)
            outcome = corpus.run(call, self.world)
            refused = isinstance(outcome, Failure) and self.slip is not None and use is self.slip.use
            return self.slip.refusal or outcome if refused and self.slip is not None else outcome

        return self.session.call(use.tool, use.arguments, run)

    def takes(self, use: UseTool) -> bool:
        """Return whether there is such a tool, and it takes such arguments."""
        corpus = self.order.variant.base.corpus
        tool = corpus.tools.get(use.tool) or corpus.histories.get(use.tool)
        return use.tool in self.specs and tool is not None and not isinstance(tool.arguments(use.arguments), Failure)

    def show(self, outcome: Outcome, use: UseTool) -> str:
        """Put an outcome into the conversation, with the exemplar where there is to be one."""
        here = self.made.at == self.calls - 1
        if self.order.noted and (here or (self.order.voice.every and self.made.at is not None)):
            outcome = self._noted(outcome, use)
        text = render(outcome)
        self.made.messages.append(
            {"role": "tool", "tool_call_id": f"call-{self.calls}", "name": use.tool, "content": text}
        )
        return text

    def _noted(self, outcome: Outcome, use: UseTool) -> Outcome:
        call = Call(use.tool, use.arguments)
        seen = signature(call, outcome, self.specs.get(use.tool))
        advice = self.order.voice.adviser().advice(call, seen) if seen is not None else None
        if advice is None:
            return outcome
        self.made.exemplar = self.made.exemplar or advice.exemplar
        return with_note(outcome, advice.text)

    def say(self, text: str, use: UseTool | None, *, recovery: bool, train: bool = True) -> None:
        """Put what the agent says, and its call, into the conversation; without `train`, as a mistake."""
        message: Message = {"role": "assistant", "content": text, "recovery": recovery, "train": train}
        if use is not None:
            function = {"name": use.tool, "arguments": dict(use.arguments)}
            message["tool_calls"] = [{"id": f"call-{self.calls + 1}", "type": "function", "function": function}]
        self.made.messages.append(message)

    def context(self, expert: Expert, act: UseTool | Say) -> StepContext:
        """The context of an act of the expert's: the facts that its message may mention."""
        last = self.made.messages[-1]
        fresh = expert.trouble is not None and last["role"] == "tool" and last["name"] == expert.trouble.use.tool
        return context_of_step(
            expert, act, self.draw, self.order.held_out, self.slip, fresh=fresh and expert.found is None
        )

    def end(self, answer: str | None, why: str = "cut after the failure") -> Trajectory:
        """Close the record and have it judged; without an answer, say why there is none."""
        if answer is None:
            self.recorder.finish("steps", detail=why)
        else:
            self.recorder.finish("answered", answer=answer)
        found = build_record(self.recorder.events)
        self.made.found = found
        self.made.verdict = judge(found, self.order.case)
        return self.made


def play_trajectory(order: TrajectoryOrder, continuation: str = "expert", teacher: Teacher | None = None) -> Trajectory:
    """One trajectory, judged; where it is cut after the failure, the verdict says what the cut one is worth.

    Raises:
        NoTrajectory: the failure did not come as ordered, something else failed, or the end is not a success.
    """
    player = TrajectoryPlayer(order)
    briefing = Briefing(order.variant.task, player.specs)
    expert = Expert(briefing, player.draw, order.step, hopeless=order.hopeless, straight=order.straight)
    for _ in range(MOST_CALLS):
        recovered = expert.recovered
        act = expert.act()
        if expert.wrong:
            player.made.doings.append(expert.doing)
        if isinstance(act, Say):
            return _kept(order, _say_answer(player, expert, act))
        _step(player, expert, act, recovering=not recovered)
        # Nothing was ordered to fail here, so a failure that the expert sees is a flaw of the simulated world.
        if expert.wrong and order.kind is None:
            raise NoTrajectory("a clean answer does not keep what the tool declares")
        # The failure has just come, and the expert has not reacted: here a row is cut, or the teacher continues.
        if expert.wrong and not player.made.doings and continuation != "expert":
            if continuation == "none":
                return _checked_cut(order, player.end(None))
            assert teacher is not None
            return _kept(order, _taught(player, teacher))
    raise NoTrajectory("it does not end")


def _step(player: TrajectoryPlayer, expert: Expert, act: UseTool, *, recovering: bool) -> None:
    """One call of the expert's; the agent's own slip where this is the place of one."""
    order, made = player.order, player.made
    text = order.voice.thought(player.context(expert, act))
    here = order.kind is not None and order.step is not None and act.tool == order.step.tool and not expert.wrong
    if here and order.kind is not None and order.kind.slip:
        _slip(player, expert, act, text)
        return
    player.say(text, act, recovery=recovering)
    made.at = player.calls if here else made.at
    shown = player.show(player.call(act), act)
    expert.observe(act, shown)
    if act.tool in expert.failures and act.tool != expert.wrong:
        raise NoTrajectory("a tool without a fault refuses")
    # The expert read the faulted answer and noticed nothing: such a row would teach recovery without a reason.
    if here and not expert.wrong:
        raise NoTrajectory("the failure cannot be distinguished from a right answer")


def _slip(player: TrajectoryPlayer, expert: Expert, act: UseTool, text: str) -> None:
    """The call as an agent that slips makes it, and its refusal."""
    order = player.order
    assert order.kind is not None
    player.slip = slip = make_mistake(order.kind.name, act, player.specs[act.tool], player.draw)
    if slip is None:
        raise NoTrajectory("this slip cannot be made here")
    player.say(text, slip.use, recovery=False, train=False)
    player.made.at = player.calls
    outcome = player.call(slip.use)
    if not isinstance(outcome, Failure):
        raise NoTrajectory("the tool takes the slip for a right call")
    expert.slipped(act, slip.use, player.show(outcome, slip.use))


def _say_answer(player: TrajectoryPlayer, expert: Expert, act: Say) -> Trajectory:
    text = player.order.voice.closing(player.context(expert, act), act.text)
    player.say(text, None, recovery=expert.doing == "stops")
    return player.end(text)


def _taught(player: TrajectoryPlayer, teacher: Teacher) -> Trajectory:
    """The trajectory that a model finishes: its calls are run, its words kept, its first message marked as recovery."""
    failed = player.made.messages[-1]["content"]
    for _ in range(MOST_CALLS - player.calls):
        reply = teacher(player.made.messages, player.order.specs, failed)
        if not (reply.text.strip() or reply.uses):
            raise NoTrajectory("the teacher is silent")
        marked = any(message.get("recovery") for message in player.made.messages)
        # The mark is for the corrective part alone: from the first message after the failure until what was wrong is
        # put right.
        mending = not marked or _still_wrong(player)
        text = reply.text.strip()
        if mending and not text.startswith("Recovery:"):
            text = f"Recovery: {text}".strip()
        if not reply.uses:
            player.say(text, None, recovery=mending)
            return player.end(text)
        for number, use in enumerate(reply.uses):
            player.say(text if number == 0 else "", use, recovery=mending, train=player.takes(use))
            player.show(player.call(use), use)
            text = text if number == 0 else ""
    raise NoTrajectory("the teacher does not end")


def _still_wrong(player: TrajectoryPlayer) -> bool:
    """Return whether the node that failed is not done yet, as far as the calls that worked say."""
    order = player.order
    assert order.step is not None
    graph = order.variant.task.graph
    home = node_of(order.step, graph)
    good = [m["name"] for m in player.made.messages[_failed_at(player) + 1 :] if m["role"] == "tool"]
    done = {graph.step_of[name].id for name in good if name in graph.step_of}
    return not any(node_of(graph.steps[id], graph) == home for id in done)


def _failed_at(player: TrajectoryPlayer) -> int:
    places = [place for place, message in enumerate(player.made.messages) if message["role"] == "tool"]
    return places[player.made.at or 0]


def _kept(order: TrajectoryOrder, made: Trajectory) -> Trajectory:
    """A trajectory that is worth learning from.

    Raises:
        NoTrajectory: it is not.
    """
    verdict = made.judged
    if not verdict.success:
        raise NoTrajectory(f"judged no success: {verdict.reasons[0]}")
    if order.kind is not None:
        _check_faulted(order, made)
        if order.kind.slip and made.doings and made.doings[0] != "mends its call":
            raise NoTrajectory("another way is cheaper than the call that was meant")
    return made


def _checked_cut(order: TrajectoryOrder, made: Trajectory) -> Trajectory:
    _check_faulted(order, made)
    if not any(message.get("train") for message in made.messages):
        raise NoTrajectory("nothing before the failure is to be learned")
    return made


def _check_faulted(order: TrajectoryOrder, made: Trajectory) -> None:
    assert order.kind is not None
    assert made.found is not None
    faulted = [place for place, turn in enumerate(made.found.turns) if turn.faulted]
    if made.at is None or (not order.kind.slip and faulted[:1] != [made.at]):
        raise NoTrajectory("the failure did not occur at the planned step")
