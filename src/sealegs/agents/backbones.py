"""Scripted backbones: what an arm runs over where there is no model.

A backbone takes a conversation, as a model does, and answers from it alone and from the task's graph, in whatever
form the arm speaks. It is a scripted agent that is remade for every question and lives through the conversation once
more. `follower` does what the conversation tells it after a failure. `follows_prompt` can do nothing by itself: it
knows the ways out of a failure that its prompt names, and looks at a failure's own words when it is asked for a
diagnosis, so that every arm's words show in what it does. The agents that blunder are there so that graders and metrics
have something to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import (
    AwaitModel,
    Message,
    ModelReply,
    ModelToolUse,
    advice_in,
    failure_symptom,
    without_advice,
)
from sealegs.agents.arms.toolbench_arm import finishing, read_step, written_step
from sealegs.agents.path_walkers import Naive, Retrier
from sealegs.agents.planners import Planner
from sealegs.agents.scripted_agent import Briefing, Say, ScriptedAgent, UseTool, format_value, parse_tool_message
from sealegs.faults.seeds import digest
from sealegs.tasks import State, next_calls, recovery_cost

Action = Literal["retry", "switch", "stop"]
_PROMPTED: tuple[tuple[re.Pattern[str], Action], ...] = (
    (re.compile(r"call the tool again", re.I), "retry"),
    (re.compile(r"from another tool where", re.I), "switch"),
    (re.compile(r"stop and report|cannot be done", re.I), "stop"),
)
_GONE = re.compile(
    r"\b(?:40[1345]|410|501)\b|not found|no such|unknown|forbidden|denied|unauthori|not allowed|revoked|expired"
    r"|deprecated|does not exist|disabled|credential|permission|hallucinat",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+|, then | and if |; ")
_NOT = re.compile(r"\b(?:do not|don't|never|no use|pointless|without|rather than|cannot)\b", re.IGNORECASE)
_ACTIONS: tuple[tuple[re.Pattern[str], Action], ...] = (
    (re.compile(r"\banother\b|\bother tool|\balternative|\bdifferent tool|\bswitch|\btake a tool", re.I), "switch"),
    (re.compile(r"\bagain\b|\bretry|\brepeat|\bonce\b|\bcorrect(?:ed)?\b|\bwait\b|\bback ?off", re.I), "retry"),
    (re.compile(r"\bstop\b|\breport\b|\bgive up|\bsay (?:so|that|what)|\btell the user", re.I), "stop"),
)


def actions_in(text: str) -> list[Action]:
    """The actions against a failure that a text advises, in its order; if it recommends one thing, that alone."""
    _, recommends, recommended = text.partition("recommends:")
    steps = text.find(" 1. ")  # what comes before the steps is the diagnosis
    found: list[Action] = []
    for sentence in _SENTENCE.split(recommended if recommends else text[max(steps, 0) :]):
        if _NOT.search(sentence):
            continue
        action = next((action for words, action in _ACTIONS if words.search(sentence)), None)
        if action is not None and action not in found:
            found.append(action)
        if recommends and found:
            break
    return found


class Follower(ScriptedAgent):
    """Walks the shortest way and follows instructions after a failure.

    Left alone, it makes the same call up to three times and then continues as if it had worked, to the end, and says
    that all is done.
    """

    tries = 3

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.broken: set[str] = set()
        self.failing = ""
        self.wrong = ""
        self.failed = 0
        self.advised: list[Action] = []
        self.blind = False

    def act(self) -> UseTool | Say:
        """The next call, or the end."""
        if self.failing and not self.blind:
            action = self._action()
            if action == "stop":
                return self.stopped(f"{self.failing} does not work.")
            if action == "switch":
                self.broken.add(self.failing)
                self.failing = ""
            elif action == "retry":
                return self.use(self.graph.step_of[self.failing])
            else:
                self._believe()
        # Planned anew at each turn from what is answered and what is broken: a switch is nothing but another plan.
        calls = next_calls(self.graph, State(done=frozenset(self.answers), broken=frozenset(self.broken)))
        if calls:
            return self.use(self.graph.steps[calls[0]])
        if self.blind or recovery_cost(self.graph, State(done=frozenset(self.answers))) == 0:
            return self.finished()
        return self.stopped(f"{', '.join(sorted(self.broken))} cannot be used, and nothing else does the same.")

    def observe(self, use: UseTool, text: str) -> None:
        """Take an answer, or note a failure."""
        step = self.graph.step_of.get(use.tool)
        if step is None:
            return
        self.wrong = failure_symptom(text)
        if self.wrong:
            self.failed = self.failed + 1 if self.failing == use.tool else 1
            self.failing, self.advised = use.tool, []
            if self.blind:
                self._believe()
        else:
            self.answers[step.id] = parse_tool_message(text)
            self.failing, self.failed = "", 0

    def read(self, prompt: str) -> None:
        """Read the system's text, which this one ignores."""

    def heard(self, text: str) -> None:
        """Take advice while something fails."""
        if self.failing:
            advice = text.replace(self.wrong, "")  # a failure's own words are not advice
            self.advised += [action for action in actions_in(advice) if action not in self.advised]

    def _action(self) -> Action | None:
        if self.advised:
            return self.advised[min(self.failed, len(self.advised)) - 1] if self.failed <= 2 * self.tries else None
        return "retry" if self.failed < self.tries else None

    def _believe(self) -> None:
        """Continue as if the failing call had worked."""
        self.answers[self.graph.step_of[self.failing].id] = {}
        self.failing, self.failed, self.blind = "", 0, True


class InstructionFollower(Follower):
    """Does what its prompt and the conversation tell it, and nothing by itself.

    Left alone, it continues as if the failing call had worked. Asked for a diagnosis, it goes by the failure's words:
    what is gone is taken from elsewhere, anything else is tried once more first; but only in ways that its prompt
    names. What a critic or an exemplar tells comes before that, and to stop comes last.
    """

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.known: tuple[Action, ...] = ()
        self.prompted = False
        self.thought = ""

    def read(self, prompt: str) -> None:
        """Learn the ways out that the prompt names."""
        self.known = tuple(action for words, action in _PROMPTED if words.search(prompt))

    def observe(self, use: UseTool, text: str) -> None:
        """Take an answer, or note a failure that no prompt has mentioned yet."""
        self.prompted, self.thought = False, ""
        super().observe(use, text)

    def heard(self, text: str) -> None:
        """Take advice, and the question for a diagnosis."""
        if not self.failing:
            return
        if arm_prompts.DIAGNOSE.rpartition("{advice}")[2].split(",")[0].strip() in text:
            self.prompted = True
            self.thought = f"Diagnosis: {'it is gone' if _GONE.search(self.wrong) else 'it may pass'} ({self.wrong})."
        else:
            super().heard(text)

    def _action(self) -> Action | None:
        ways = list(dict.fromkeys([*self.advised, *self._own()]))
        ways.sort(key=lambda way: way == "stop")  # prompts and exemplars say: where nothing else is left
        return ways[min(self.failed, len(ways)) - 1] if ways else None

    def _own(self) -> list[Action]:
        """The ways that the prompt names: after a diagnosis those that fit it; without one, the last resort alone."""
        if not self.prompted:
            return [way for way in self.known if way == "stop"]
        return [way for way in self.known if way != "retry" or not _GONE.search(self.wrong)]


class EarlyStopper(Follower):
    """Stops at the first failure and says so."""

    def _action(self) -> Action | None:
        return "stop"


class Fabricator(Follower):
    """Makes up what a failing call should have delivered, and says that all is done."""

    def act(self) -> UseTool | Say:
        """The next call, or an invented end."""
        if not self.failing:
            return super().act()
        lines = []
        for deliverable in self.task.deliverables:
            value = self.value(deliverable.source)
            made_up = f"REF-{digest(self.task.id, deliverable.label) % 9000 + 1000}"
            lines.append(f"- {deliverable.label}: {made_up if value is None else format_value(value)}")
        return Say("\n".join(["Everything is done.", *lines, "Status: complete"]))


class Looper(Follower):
    """Makes the failing call again and again."""

    def _action(self) -> Action | None:
        return "retry"


class Wanderer(Follower):
    """Calls whatever other tools there are after a failure, then stops."""

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.others = [name for name in briefing.specs if name not in self.graph.step_of][:2]
        self.called = 0

    def act(self) -> UseTool | Say:
        """The next call, a call that does not help, or the end."""
        if self.failing and self.called < len(self.others):
            return UseTool(self.others[self.called], {})
        return super().act()

    def observe(self, use: UseTool, text: str) -> None:
        """Count the calls that do not help."""
        self.called += use.tool in self.others
        super().observe(use, text)

    def _action(self) -> Action | None:
        return "stop"


class Skipper(Planner):
    """Does everything right and leaves the last result out of its answer."""

    def finished(self) -> Say:
        """The answer without its last result."""
        lines = super().finished().text.splitlines()
        return Say("\n".join([*lines[:-2], lines[-1]]))


class Denier(Planner):
    """Does everything right and says that it could not."""

    def finished(self) -> Say:
        """The answer of one that gave up."""
        return Say("I could not complete the request: the tools failed too often.\nStatus: incomplete")


BACKBONES: Mapping[str, type[ScriptedAgent]] = {
    "follower": Follower,
    "follows_prompt": InstructionFollower,
    "planner": Planner,
    "retrier": Retrier,
    "naive": Naive,
    "gives_up": EarlyStopper,
    "fabricates": Fabricator,
    "looper": Looper,
    "wanderer": Wanderer,
    "skipper": Skipper,
    "denier": Denier,
}


def backbone_reply(backbone: str, briefing: Briefing, question: AwaitModel) -> ModelReply:
    """The backbone's reply to a question."""
    messages = question.messages
    first = messages[0].text if messages else ""
    if first == arm_prompts.CRITICISE:
        found = failure_symptom(messages[-1].text.partition("The answer: ")[2])
        return ModelReply(f"Verdict: wrong, {found}" if found else "Verdict: right")
    if messages[-1].text.startswith(arm_prompts.REFLECT.partition("{")[0]) and not question.tools:
        return ModelReply("The call may have been wrong. I look at its arguments once more.")
    agent = BACKBONES[backbone](briefing)
    if isinstance(agent, Follower):
        agent.read(first)
    for use, text, heard in past_calls(messages):
        if use is not None:
            agent.act()  # what it made up its mind to then
            agent.observe(use, text)
        elif isinstance(agent, Follower):
            agent.heard(heard)
    act = agent.act()
    if question.tools:
        thought = agent.thought if isinstance(agent, InstructionFollower) else ""
        return ModelReply(act.text) if isinstance(act, Say) else ModelReply(thought, (_call(act, len(messages)),))
    if isinstance(act, Say):
        return ModelReply(finishing("I am done.", act.text))
    return ModelReply(written_step("I go on.", act.tool, act.arguments))


def _call(act: UseTool, place: int) -> ModelToolUse:
    return ModelToolUse(act.tool, act.arguments, f"use-{place}")


def past_calls(messages: Sequence[Message]) -> Iterator[tuple[UseTool | None, str, str]]:
    """The events of a conversation: calls with their answers, and the messages after them."""
    calls: dict[str, ModelToolUse] = {}
    step: ModelToolUse | None = None
    for message in messages[2:]:
        if message.role == "assistant":
            calls |= {call.id: call for call in message.calls}
            step = None if message.calls else read_step(message.text)
        elif message.role == "tool":
            call = calls[message.answers]
            yield UseTool(call.tool, call.arguments), without_advice(message.text), ""
            yield None, "", advice_in(message.text)
        elif step is not None and message.text.startswith("Observation: "):
            text = message.text.removeprefix("Observation: ")
            yield UseTool(step.tool, step.arguments), without_advice(text), ""
            yield None, "", advice_in(text)
        else:
            yield None, "", message.text
