"""What each arm puts before the model, and that a backbone acts on it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.agents.arms import ARMS, ArmContext, AwaitModel, Menu, Message, ModelReply, ModelToolUse
from sealegs.agents.arms.arm_base import advice_in, failure_symptom, without_advice
from sealegs.agents.backbones import BACKBONES, actions_in, backbone_reply
from sealegs.faults.call import Call, Failure, Outcome, Value, render
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies import Advice
from sealegs.recovery.policies.advise import with_note
from sealegs.recovery.signature import Signature
from sealegs.scoring import judge
from sealegs.suites.paladin.arm_engine import Setup, play_paladin_episode
from sealegs.suites.paladin.episodes import PaladinEpisode, episodes_of_set
from sealegs.traces import FaultInjected, build_record
from sealegs.traces.events import LayerActionTaken

ERROR = render(Failure("Service Unavailable", type="ServiceUnavailable", status=503))
MENU = Menu(("call again", "correct it", "use another tool", "stop"), 2)


def context(draw: Callable[[str], float] = lambda word: 0.0) -> ArmContext:
    return ArmContext("What is f of 3?", (ToolSpec("f"),), lambda tool: MENU, draw, "End with a status.")


def played(
    arm: str, replies: list[ModelReply], texts: list[str], at: ArmContext | None = None
) -> tuple[list[AwaitModel], str]:
    """The questions that an arm asks, and its answer, given the replies and the texts of tools."""
    questions: list[AwaitModel] = []
    model_replies, tool_texts = iter(replies), iter(texts)
    steps = ARMS[arm].converse(at or context())
    request = next(steps)
    try:
        while True:
            if isinstance(request, AwaitModel):
                questions.append(request)
                request = steps.send(next(model_replies))
            else:
                request = steps.send(next(tool_texts))
    except StopIteration as stop:
        return questions, stop.value


def call(number: int = 1) -> ModelReply:
    return ModelReply("", (ModelToolUse("f", {"x": 3}, f"c{number}"),))


def test_vanilla_adds_nothing() -> None:
    questions, answer = played("vanilla", [call(), ModelReply("It is 9.")], [ERROR])
    assert answer == "It is 9."
    assert [message.role for message in questions[-1].messages] == ["system", "user", "assistant", "tool"]
    assert questions[-1].messages[-1] == Message("tool", ERROR, answers="c1")
    assert "recover" not in questions[0].messages[0].text.casefold()


def test_toolbench_speaks_in_steps_and_calls_no_tools_natively() -> None:
    step = 'Thought: I need f.\nAction: f\nAction Input: {"x": 3}'
    end = 'Thought: done\nAction: Finish\nAction Input: {"return_type": "give_answer", "final_answer": "9"}'
    questions, answer = played(
        "toolbench", [ModelReply(step), ModelReply("Action: f\nAction Input: x=3"), ModelReply(end)], ['{"y": 9}']
    )
    assert answer == "9"
    assert not any(question.tools for question in questions)
    assert [m.text for m in questions[-1].messages if m.role == "user"][1:] == [
        'Observation: {"y": 9}',
        "Observation: The step cannot be read: the action input is no JSON object.",
    ]
    assert '"name": "f"' in questions[0].messages[0].text


def test_toolreflect_asks_for_reflection_and_correction_three_times() -> None:
    replies = []
    for number in range(4):
        replies += [call(number), *([ModelReply("It was wrong.")] if number < 3 else [])]
    questions, _ = played("toolreflect", [*replies, ModelReply("I stop.")], [ERROR] * 4)
    reflections = [q for q in questions if not q.tools]
    assert len(reflections) == 3
    assert "503 ServiceUnavailable: Service Unavailable" in reflections[0].messages[-1].text
    texts = [m.text for m in questions[-1].messages if m.role == "user"]
    assert [text for text in texts if text.startswith("Now make the corrected call")][-1].endswith("Attempt 3 of 3.")


@pytest.mark.parametrize(
    ("draws", "choice"), [(0.0, "use another tool"), (0.69, "use another tool"), (0.7, "call again")]
)
def test_critic_recommends_from_the_oracles_menu(draws: float, choice: str) -> None:
    at = context(lambda word: draws if word.endswith("right") else 0.0)
    questions, _ = played(
        "critic-p0.7", [call(), ModelReply("Verdict: wrong, an error"), ModelReply("ok")], [ERROR], at
    )
    assert questions[1].messages[0].text.startswith("You judge one tool call")
    assert questions[-1].messages[-1].text.splitlines()[2] == f"The critic recommends: {choice}"
    sure, _ = played("critic", [call(), ModelReply("Verdict: wrong, an error"), ModelReply("ok")], [ERROR], at)
    assert "recommends: use another tool" in sure[-1].messages[-1].text


def test_critic_recommends_three_times_for_a_tool_and_no_more() -> None:
    replies = [reply for number in range(4) for reply in (call(number), ModelReply("Verdict: wrong, an error"))]
    questions, _ = played("critic", [*replies, ModelReply("I stop.")], [ERROR] * 4)
    recommendations = [m.text for m in questions[-1].messages if "The critic recommends:" in m.text]
    assert [text.splitlines()[-1] for text in recommendations] == [f"Attempt {number} of 3." for number in (1, 2, 3)]
    replies[3] = ModelReply("Verdict: right")  # the second call is held for right: the count begins anew
    questions, _ = played("critic", [*replies, ModelReply("I stop.")], [ERROR] * 4)
    assert [m.text.splitlines()[-1] for m in questions[-1].messages if "recommends:" in m.text] == [
        "Attempt 1 of 3.",
        "Attempt 1 of 3.",
        "Attempt 2 of 3.",
    ]


@pytest.mark.parametrize("arm", ARMS)
def test_retrieval_speaks_of_failures_alone(arm: str) -> None:
    clean = next(e for e in episodes_of_set("eval") if not e.failure)
    one, other = (
        build_record(play_paladin_episode(clean, "follows_prompt", Setup(arm, retrieval)))
        for retrieval in ("off", "on")
    )
    assert one.turns == other.turns
    failing = next(e for e in episodes_of_set("eval") if e.kind == "switch")
    events = play_paladin_episode(failing, "follows_prompt", Setup(arm, "on", max_steps=15))
    advised = {event.call for event in events if isinstance(event, LayerActionTaken) and event.action == "advised"}
    assert advised
    assert advised <= {event.call for event in events if isinstance(event, FaultInjected) and event.delivered}


def test_critic_says_nothing_about_what_it_holds_for_right() -> None:
    questions, _ = played("critic", [call(), ModelReply("Verdict: right"), ModelReply("It is 9.")], ['{"y": 9}'])
    assert questions[-1].messages[-1].role == "tool"


def test_the_critic_is_right_in_seven_of_ten() -> None:
    wrong = 0
    for episode in episodes_of_set("eval", limit=20):
        draw = episode.context().draw
        wrong += draw("f 1 right") >= 0.7
    assert 0.2 < wrong / 160 < 0.4


def test_paladin_asks_for_a_diagnosis_and_names_the_exemplar_where_there_is_one() -> None:
    questions, _ = played("paladin", [call(), ModelReply("ok")], [ERROR])
    assert 'begins with "Diagnosis:"' in questions[-1].messages[-1].text
    assert "nearest known case" not in questions[-1].messages[-1].text
    noted = render(with_note(Failure("Service Unavailable", status=503), "Recovery: Wait. 1. Call again."))
    questions, _ = played("paladin", [call(), ModelReply("ok")], [noted])
    assert "nearest known case" in questions[-1].messages[-1].text
    questions, _ = played("paladin", [call(), ModelReply("It is 9.")], ['{"y": 9}'])
    assert questions[-1].messages[-1].role == "tool"


JSON = st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.integers() | st.text(max_size=5), max_size=3)
OUTCOMES = st.builds(
    Value, JSON | st.lists(st.integers(), max_size=3) | st.from_regex(r"[a-z ]{0,20}", fullmatch=True)
) | st.builds(Failure, st.from_regex(r"[a-z ]{1,20}", fullmatch=True))


@given(outcome=OUTCOMES)
def test_a_note_is_found_and_taken_out_again(outcome: Outcome) -> None:
    advice = "Recovery: It is down. 1. Wait. 2. Call again. Stop when it is late."
    noted = render(with_note(outcome, advice))
    assert advice_in(noted).strip().removeprefix("Recovery:").strip() == advice.removeprefix("Recovery:").strip()
    assert _data(without_advice(noted)) == _data(render(outcome))
    assert advice_in(render(outcome)) == ""
    assert without_advice(render(outcome)) == render(outcome)


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@pytest.mark.parametrize(
    ("text", "seen"),
    [(ERROR, "503"), ('{"a": 1,', "cannot be read"), ('{"a": 1}', ""), ("plain words", ""), ("[1, 2]", "")],
)
def test_what_shows_that_a_call_failed(text: str, seen: str) -> None:
    assert seen in failure_symptom(text)
    assert bool(failure_symptom(text)) == bool(seen)


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        (
            "Recovery: It may fail again. 1. Wait. 2. Take another tool. Stop when none is left.",
            ["retry", "switch", "stop"],
        ),
        ("Recovery: It is gone. 1. Do not call it again. 2. Use an alternative. Stop then.", ["switch", "stop"]),
        ("What can be done: (1) call again (2) stop\nThe critic recommends: use another tool instead: g", ["switch"]),
        ("Nothing of use.", []),
    ],
)
def test_what_a_text_tells_one_to_do(text: str, actions: list[str]) -> None:
    assert actions_in(text) == actions


class FixedAdviser:
    """An adviser that always says the same."""

    def __init__(self, text: str) -> None:
        self.text = text

    def advice(self, call: Call, signature: Signature) -> Advice | None:
        return Advice(self.text, "one", 0.1)


def outcome(episode: PaladinEpisode, arm: str, text: str) -> bool:
    setup = Setup(arm, "on" if text else "off")
    found = build_record(play_paladin_episode(episode, "follower", setup, FixedAdviser(text) if text else None))
    return judge(found, episode.case(found)).success


@pytest.mark.parametrize("arm", ["vanilla", "toolbench", "toolreflect", "paladin"])
def test_follower_does_what_it_is_shown_whatever_the_arm(arm: str) -> None:
    """Advice that fits a failure recovers it; advice that does not, or none, does not."""
    one = {
        kind: next(e for e in episodes_of_set("eval") if e.kind == kind) for kind in ("transient", "switch", "dead end")
    }
    fits = {
        "transient": "Recovery: Down. 1. Call again.",
        "switch": "Recovery: Gone. 1. Use another tool.",
        "dead end": "Recovery: Gone. 1. Stop and report.",
    }
    for kind, episode in one.items():
        assert outcome(episode, arm, fits[kind])
        for other in fits:
            if other != kind and (kind, other) != ("dead end", "switch"):  # nothing to switch to: it stops
                assert not outcome(episode, arm, fits[other]), (kind, other)
    assert not outcome(one["switch"], arm, "")


def ends(backbone: str, arm: str, retrieval: str = "off") -> dict[str, list[bool]]:
    """Successes by kind over some episodes of `eval`."""
    found: dict[str, list[bool]] = {}
    for episode in (e for e in episodes_of_set("eval", limit=5) if e.failure):
        seen = build_record(play_paladin_episode(episode, backbone, Setup(arm, retrieval)))
        found.setdefault(episode.kind, []).append(judge(seen, episode.case(seen)).success)
    return found


def test_every_arm_shows_in_a_backbone_that_follows_its_prompt() -> None:
    """What each arm's prompt and questions name, `follows_prompt` does, and nothing else: so no two arms end alike."""
    found = {arm: ends("follows_prompt", arm) for arm in ARMS}
    share = {arm: {kind: sum(own) / len(own) for kind, own in kinds.items()} for arm, kinds in found.items()}
    assert share["vanilla"] == {"transient": 0, "switch": 0, "dead end": 0}
    assert share["toolbench"] == {"transient": 0, "switch": 0, "dead end": 1}  # it may give up
    assert share["toolreflect"]["transient"] > 0.9  # it may correct the call
    assert share["toolreflect"]["switch"] == share["toolreflect"]["dead end"] == 0
    for arm in ("critic", "paladin"):
        assert min(share[arm].values()) > 0.8
    assert share["critic-p0.7"]["transient"] < share["critic"]["transient"]
    assert len({str(kinds) for kinds in found.values()}) == len(ARMS)


@pytest.mark.parametrize("arm", ["vanilla", "toolbench", "toolreflect"])
def test_retrieval_shows_under_every_arm_that_lacks_a_way_out(arm: str) -> None:
    without, held = ends("follows_prompt", arm), ends("follows_prompt", arm, "on")
    assert sum(map(sum, held.values())) > sum(map(sum, without.values()))


def test_follows_prompt_writes_the_diagnosis_that_it_is_asked_for() -> None:
    episode = next(e for e in episodes_of_set("eval") if e.kind == "switch")
    questions: list[AwaitModel] = []
    steps = ARMS["paladin"].converse(episode.context())
    request = next(steps)
    for _ in range(12):
        if isinstance(request, AwaitModel):
            questions.append(request)
            reply = backbone_reply("follows_prompt", episode.briefing, request)
            if "Diagnosis:" in request.messages[-1].text:
                assert reply.text.startswith("Diagnosis: ")
                assert reply.calls
                return
            request = steps.send(reply)
        else:
            request = steps.send(ERROR if request.tool == _victim(episode) else "{}")
    raise AssertionError("nobody asked for a diagnosis")


def _victim(episode: PaladinEpisode) -> str:
    return next(step.tool for step in episode.base.graph.walk())


def test_every_backbone_ends_every_episode_without_a_crash() -> None:
    for number, backbone in enumerate(BACKBONES):
        for place, arm in enumerate(ARMS):
            episode = episodes_of_set("eval")[(number * 17 + place * 7) % 160]
            found = build_record(
                play_paladin_episode(episode, backbone, Setup(arm, "on" if place % 2 else "off", max_steps=15))
            )
            assert found.end.reason in ("answered", "steps"), found.end
