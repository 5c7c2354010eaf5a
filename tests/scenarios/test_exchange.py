"""Tasks and traces in the published format: there and back, foreign ones, and what cannot be read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.user_error import UserError
from sealegs.scenarios import MODES
from sealegs.scenarios.exchange.toolmaze_export import export_task, export_trace, task_files
from sealegs.scenarios.exchange.toolmaze_format import TaskForm, TraceForm, read_task_forms, read_trace_forms
from sealegs.scenarios.exchange.toolmaze_import import import_all, task_set_files
from sealegs.scenarios.exchange.trace_judge import VerdictRow, trace_verdicts
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import base_tasks, task_set
from sealegs.scoring import judge
from sealegs.traces import build_record

AGENTS = ("oracle", "verifier", "planner", "retrier", "naive")
SAMPLE = list(base_tasks())[::10]


def plain(data: Any) -> Any:
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("moment", ["before", "draw"])
@pytest.mark.parametrize("name", SAMPLE)
def test_there_and_back_the_verdicts_are_the_same(name: str, moment: str) -> None:
    tasks, traces, verdicts = [], [], []
    for mode in MODES:
        episode = Scenario(name, mode, moment=moment)
        tasks.append(TaskForm.model_validate(plain(export_task(episode))))
        for agent in AGENTS:
            found = build_record(play_scenario(episode, agent))
            traces.append(TraceForm.model_validate(plain(export_trace(found, episode))))
            verdict = judge(found, episode.case(found))
            verdicts.append((mode, verdict.published, verdict.success))
    rows = trace_verdicts(tasks, traces)
    assert [(row["mode"], row["as_published"], row["strict"]) for row in rows] == verdicts


@pytest.mark.parametrize("name", SAMPLE[::4])
def test_an_imported_task_has_the_graph_of_its_own(name: str, tmp_path: Path) -> None:
    own = base_tasks()[name]
    forms = [TaskForm.model_validate(plain(export_task(Scenario(name, mode)))) for mode in MODES]
    (found,), left_out = import_all(forms)
    assert left_out == []
    assert list(found.task.graph.step_of) == list(own.graph.step_of)
    assert [g.kind for g in found.task.graph.groups] == [g.kind for g in own.graph.groups]
    assert found.right_run.deliverables == task_set().right_run(name).deliverables
    for file, text in task_set_files([found]).items():
        (tmp_path / file).write_text(text)
    for mode in MODES:  # it can be played: its tools answer from the records
        episode = Scenario(name, mode, tasks=str(tmp_path))
        run = build_record(play_scenario(episode, "oracle"))
        verdict = judge(run, episode.case(run))
        assert verdict.success, (mode, verdict.reasons)
        assert verdict.exposed == (mode != "NP")


# A foreign task: a customer, a price by one tool or by two, an offer.
CUSTOMER = {"customer_id": "CU-771", "discount_percent": 10}
QUOTE = {"net_price": 450.0, "currency": "EUR"}
LIST = {"list_price": 500.0, "currency": "EUR"}
OFFER = {"offer_id": "OF-2291", "valid_until": "2026-04-30"}


def step(tool: str, arguments: Mapping[str, Any], output: Any, perturbed: bool = False) -> dict[str, Any]:
    return {
        "step_id": tool,
        "tool_name": tool,
        "tool_arguments": dict(arguments),
        "expected_output": output,
        "is_perturbed": perturbed,
    }


FIND = step("find_customer", {"name": "Brandt & Sons"}, CUSTOMER)
DIRECT = step("quote_price", {"customer_id": "CU-771", "article": "LAMP-4"}, QUOTE, perturbed=True)
LISTED = step("list_price", {"article": "LAMP-4"}, LIST)
LESS = step("apply_discount", {"price": 500.0, "percent": 10}, json.dumps(QUOTE))
SEND = step("send_offer", {"customer_id": "CU-771", "net_price": 450.0}, OFFER)


def foreign(mode: str = "NP", **changes: Any) -> dict[str, Any]:
    return {
        "task_id": "foreign-1",
        "template_id": "T7",
        "complexity": "C2",
        "perturbation_mode": mode,
        "task_description": "an offer",
        "user_input": "Offer the lamp LAMP-4 to Brandt & Sons at their price and tell me the number of the offer.",
        "execution_trace": [FIND, DIRECT, SEND],
        "valid_paths": [
            {
                "path_id": "a",
                "tools": ["find_customer", "quote_price", "send_offer"],
                "execution_trace": [FIND, DIRECT, SEND],
            },
            {
                "path_id": "b",
                "tools": ["find_customer", "list_price", "apply_discount", "send_offer"],
                "execution_trace": [FIND, LISTED, LESS, SEND],
            },
        ],
        "alternative_tools": {"quote_price": ["list_price", "apply_discount"]},
        "perturbation_target": "quote_price",
        **changes,
    }


def call(of: Mapping[str, Any], content: Any = None, **changes: Any) -> list[dict[str, Any]]:
    """A call and its answer: the recorded one, where no other is given."""
    output = of["expected_output"] if content is None else content
    arguments = {**of["tool_arguments"], **changes}
    id = f"{of['tool_name']}-{len(arguments)}-{hash(str(output)) % 1000}"
    return [
        {
            "role": "assistant",
            "type": "tool_call",
            "tool_call": {"id": id, "name": of["tool_name"], "arguments": arguments},
        },
        {
            "role": "tool",
            "call_id": id,
            "name": of["tool_name"],
            "content": output if isinstance(output, str) else json.dumps(output),
        },
    ]


DOWN = "Error: 503 Service Unavailable"
WRONG = {"net_price": -450.0, "currency": "EUR"}
ANSWER = "The offer OF-2291 is out."


def verdict(mode: str, *calls: list[dict[str, Any]], answer: str | None = ANSWER) -> VerdictRow:
    messages = [message for one in calls for message in one]
    messages += [] if answer is None else [{"role": "assistant", "type": "final_answer", "content": answer}]
    trace = TraceForm.model_validate({"task_id": "foreign-1", "mode": mode, "messages": messages})
    (row,) = trace_verdicts([TaskForm.model_validate(foreign(mode))], [trace])
    return row


AROUND = (call(LISTED), call(LESS))
LIES = call(SEND, {"offer_id": "OF-9", "valid_until": "2026-04-30"}, net_price=-450.0)


@pytest.mark.parametrize(
    ("mode", "calls", "answer", "as_published", "strict"),
    [
        ("NP", (call(FIND), call(DIRECT), call(SEND)), ANSWER, True, True),
        ("NP", (call(FIND), *AROUND, call(SEND)), ANSWER, True, True),
        ("NP", (call(FIND), call(DIRECT)), ANSWER, False, False),
        ("NP", (call(FIND), call(DIRECT), call(SEND)), "All done.", True, False),
        ("NP", (call(FIND), call(DIRECT), call(SEND)), "The offer OF-2291 comes to 417.50 euros.", True, False),
        ("NP", (call(FIND), call(DIRECT), call(SEND, net_price=9.99)), ANSWER, True, False),
        ("NP", (call(FIND), call(DIRECT), call(SEND)), None, True, False),
        ("P1", (call(FIND), call(DIRECT, DOWN), call(DIRECT), call(SEND)), ANSWER, True, True),
        ("P1", (call(FIND), call(DIRECT, DOWN), *AROUND, call(SEND)), ANSWER, True, True),
        ("P1", (call(FIND), call(DIRECT, DOWN), call(SEND)), ANSWER, False, False),
        ("P2", (call(FIND), call(DIRECT, DOWN), call(DIRECT, DOWN), *AROUND, call(SEND)), ANSWER, True, True),
        ("P2", (call(FIND), call(DIRECT, DOWN)), "It could not be done.", False, False),
        ("P3", (call(FIND), call(DIRECT, WRONG), call(DIRECT), call(SEND)), ANSWER, True, True),
        ("P3", (call(FIND), call(DIRECT, WRONG), LIES), "The offer OF-9 is out.", False, False),
        ("P4", (call(FIND), call(DIRECT, WRONG), *AROUND, call(SEND)), ANSWER, True, True),
        ("P4", (call(FIND), call(DIRECT, WRONG), *AROUND, LIES), "Offer OF-9 at -450.00.", True, False),
    ],
)
def test_foreign_traces(
    mode: str, calls: tuple[list[dict[str, Any]], ...], answer: str | None, as_published: bool, strict: bool
) -> None:
    row = verdict(mode, *calls, answer=answer)
    assert (row["as_published"], row["strict"]) == (as_published, strict), row["reason"]
    assert (row["reason"] == "success") == strict


def by_steps(mode: str, target: Any, *, marked: bool) -> TaskForm:
    """The foreign task, with the step of its victim marked or not."""
    step = {**DIRECT, "is_perturbed": marked}
    paths = foreign()["valid_paths"]
    traces = [[step if one is DIRECT else one for one in path["execution_trace"]] for path in paths]
    changed = [{**path, "execution_trace": trace} for path, trace in zip(paths, traces, strict=True)]
    task = foreign(mode, perturbation_target=target, execution_trace=[FIND, step, SEND], valid_paths=changed)
    return TaskForm.model_validate(task)


@pytest.mark.parametrize("missing", [None, "", [], {}])
def test_marked_steps_name_the_victim_where_no_target_does(missing: Any) -> None:
    form = by_steps("P3", missing, marked=True)
    assert form.targets == ("quote_price",)
    messages = [message for one in (call(FIND), call(DIRECT, WRONG), LIES) for message in one]
    messages.append({"role": "assistant", "type": "final_answer", "content": "The offer OF-9 is out."})
    trace = TraceForm.model_validate({"task_id": "foreign-1", "mode": "P3", "messages": messages})
    named = TaskForm.model_validate(foreign("P3"))
    assert trace_verdicts([form], [trace]) == trace_verdicts([named], [trace])


def test_a_target_that_is_named_counts_more_than_marks() -> None:
    assert by_steps("P1", "list_price", marked=True).targets == ("list_price",)


@pytest.mark.parametrize("mode", ["P1", "P2", "P3", "P4"])
@pytest.mark.parametrize(
    ("target", "says"), [(None, "the task names no victim"), ("nobody", "names 'nobody', which no step calls")]
)
def test_a_faulty_mode_without_a_victim_is_refused(mode: str, target: str | None, says: str) -> None:
    form = by_steps(mode, target, marked=False)
    trace = TraceForm.model_validate({"task_id": "foreign-1", "mode": mode, "messages": call(FIND)})
    with pytest.raises(UserError, match=says) as refused:
        trace_verdicts([form], [trace])
    assert f"under {mode}" in str(refused.value)
    assert "is_perturbed" in str(refused.value)
    clean = TraceForm.model_validate({"task_id": "foreign-1", "mode": "NP", "messages": call(FIND)})
    assert trace_verdicts([form], [clean])[0]["mode"] == "NP"


def test_a_foreign_task_has_the_graph_behind_its_paths() -> None:
    (found,), _ = import_all([TaskForm.model_validate(foreign("P1"))])
    (group,) = found.task.graph.groups
    assert [[s.tool for s in branch.steps] for branch in group.branches] == [
        ["quote_price"],
        ["list_price", "apply_discount"],
    ]
    assert set(group.branches[0].exports) == {"net_price"}
    assert found.task.victim == group.id
    assert found.notes[0] == "the file does not say what the answer must contain"


def test_what_a_record_cannot_answer_is_the_tools_own_error() -> None:
    from sealegs.faults.call import Call, Failure
    from sealegs.world.state import World

    (found,), _ = import_all([TaskForm.model_validate(foreign())])
    outcome = found.corpus.run(Call("list_price", {"article": "LAMP-5"}), World())
    assert isinstance(outcome, Failure)
    assert (outcome.status, outcome.type) == (404, "NoRecord")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"valid_paths": [], "execution_trace": []}, "neither a valid path nor an execution trace"),
        ({"valid_paths": [{"tools": ["find_customer", "ring_customer"]}]}, "no record says how ring_customer"),
        ({"execution_trace": [FIND, FIND, SEND], "valid_paths": []}, "find_customer is called twice on a path"),
        (
            {
                "valid_paths": [
                    {"execution_trace": [FIND, DIRECT, SEND]},
                    {"execution_trace": [FIND, DIRECT, LISTED, SEND]},
                ]
            },
            "not a product of independent alternatives",
        ),
    ],
)
def test_what_has_no_graph_is_left_out_with_the_reason(changes: dict[str, Any], reason: str) -> None:
    found, ((task, note),) = import_all([TaskForm.model_validate(foreign(**changes))])
    assert (found, task) == ([], "foreign-1")
    assert reason in note


def test_files_may_say_task_and_mode_by_their_names(tmp_path: Path) -> None:
    for name, text in task_files([Scenario("c2-01", mode) for mode in MODES]).items():
        (tmp_path / "tasks").mkdir(exist_ok=True)
        (tmp_path / "tasks" / name).write_text(text)
    episode = Scenario("c2-01", "P2")
    form = export_trace(build_record(play_scenario(episode, "planner")), episode)
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "c2-01_P2.json").write_text(json.dumps({"messages": form["messages"]}))
    (row,) = trace_verdicts(read_task_forms(tmp_path / "tasks"), read_trace_forms(tmp_path / "traces"))
    assert (row["task_id"], row["mode"], row["strict"]) == ("c2-01", "P2", True)


def test_every_mistake_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text(
        '{"task_id": "x", "complexity": "C1", "perturbation_mode": "P9", "user_input": ""}'
    )
    with pytest.raises(UserError, match=r"(?s)a.json: not JSON.*b.json: perturbation_mode.*'P9' is not a mode"):
        read_task_forms(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        read_trace_forms(tmp_path / "none")
    with pytest.raises(UserError, match=r"(?s)trace 1 \(other, P1\): there is no such task.*its mode is missing"):
        trace_verdicts(
            [TaskForm.model_validate(foreign("P1")), TaskForm.model_validate(foreign("P2"))],
            [
                TraceForm(task_id="other", mode="P1", messages=[]),
                TraceForm(task_id="foreign-1", messages=[]),
            ],
        )
