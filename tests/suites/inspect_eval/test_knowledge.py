"""Files of what is known of an eval's tools: what they say, what is refused, and what others make of them."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.invariants import Invariant
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval import knowledge_answers
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, load_knowledge, read_knowledge, shipped_knowledge
from sealegs.suites.inspect_eval.knowledge_answers import TIMES, read_answer, write_answer
from sealegs.suites.inspect_eval.knowledge_invariants import FORMS, InvariantSettings

SMALL: dict[str, Any] = {
    "tasks": ["garden/beds"],
    "tools": {
        "see": {"acts": False, "invariants": [{"bounds": {"field": "height", "minimum": 0}}]},
        "plant": {
            "acts": True,
            "again": "done again",
            "shown_by": {"tool": "see", "done": {"path": "plant", "equals": {"given": "plant"}}},
        },
        "water": {"acts": True, "again": "no effect"},
        "call": {},
    },
    "simulated_user": {"dig": {"acts": True}},
}
EACH_FORM: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {  # settings, a right and a wrong answer
    "bounds": ({"field": "a", "minimum": 0}, {"a": 1}, {"a": -1}),
    "counts": ({"field": "n", "items": "l"}, {"n": 2, "l": [1, 2]}, {"n": 3, "l": [1, 2]}),
    "echo": ({"argument": "x", "field": "a"}, {"a": "seed"}, {"a": "weed"}),
    "known": ({"field": "a", "key": "k", "table": {"Oslo": "NO"}}, {"a": "NO", "k": "oslo"}, {"a": "SE", "k": "Oslo"}),
    "mean": ({"field": "m", "parts": "l"}, {"m": 2, "l": [1, 3]}, {"m": 9, "l": [1, 3]}),
    "one_of": ({"field": "a", "allowed": ["b"], "wrong": ["c"]}, {"a": "b"}, {"a": "c"}),
    "ordered": (
        {"earlier": "a", "later": "b"},
        {"a": "2026-01-01", "b": "2026-01-02"},
        {"a": "2026-01-03", "b": "2026-01-02"},
    ),
    "requires": ({"field": "id", "when": "s", "equals": "ok"}, {"id": "1", "s": "ok"}, {"id": "", "s": "ok"}),
    "sums": ({"field": "t", "parts": ["l.p"]}, {"t": 3, "l": [{"p": 1}, {"p": 2}]}, {"t": 9, "l": [{"p": 1}]}),
}


def small(**changes: Any) -> dict[str, Any]:
    return {**SMALL, **changes}


def written(folder: Path, data: Any) -> Path:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def test_each_form_of_invariant_tells_right_from_wrong() -> None:
    assert FORMS.keys() == EACH_FORM.keys()
    for name, (settings, right, wrong) in EACH_FORM.items():
        made: Invariant = InvariantSettings({name: settings}).invariant()
        assert made.holds({"x": "seed"}, right), name
        assert not made.holds({"x": "seed"}, wrong), name


def test_what_is_known_becomes_specs() -> None:
    known = EvalKnowledge.model_validate(SMALL)
    specs = {spec.name: spec for spec in known.specs}
    assert [(name, spec.effects, spec.idempotent) for name, spec in sorted(specs.items())] == [
        ("call", None, False),
        ("dig", True, False),
        ("plant", True, False),
        ("see", False, False),
        ("water", True, True),
    ]
    assert known.user_tools == {"dig"}
    assert known.implicit == {
        "see": ("physics_violation", "tool_leakage"),
        "plant": ("tool_leakage",),
        "water": ("tool_leakage",),
    }


def test_what_is_known_becomes_a_recovery_plan() -> None:
    plan = EvalKnowledge.model_validate(SMALL).recovery_plan()
    assert plan is not None
    assert {name: (tool.effects, tool.idempotent) for name, tool in plan.tools.items()} == {
        "see": (False, False),
        "plant": (True, False),
        "water": (True, True),
        "dig": (True, False),
    }
    assert plan.checks.keys() == {"plant"}
    assert plan.layer() is not None
    nothing = EvalKnowledge.model_validate({"tasks": ["a"], "tools": {"x": {"acts": "unknown"}}})
    assert nothing.recovery_plan() is None
    assert nothing.implicit == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tools": {"see": {"acts": "perhaps"}}}, "see"),
        ({"tools": {"see": {"acts": False, "again": "refused"}}}, "describe a tool that acts"),
        ({"tools": {"see": {"again": "refused"}}}, "leave them out, or set `acts: true`"),
        ({"tools": {"see": {"acts": True, "again": "sometimes"}}}, "again"),
        ({"tools": {"see": {"invariants": [{"nonsense": {}}]}}}, "should be one of bounds"),
        ({"tools": {"see": {"invariants": [{"echo": {"argument": "a", "felt": "b"}}]}}}, "has no setting 'felt'"),
        ({"tools": {"see": {"invariants": [{"echo": {"argument": "a"}}]}}}, "echo: field"),
        ({"tools": {"see": {"invariants": [{"bounds": {"field": "a", "minimum": "low"}}]}}}, "bounds: minimum"),
        ({"tools": {**SMALL["tools"], "see": {"acts": True}}}, "must have `acts: false`"),
        ({"tools": {"plant": SMALL["tools"]["plant"]}}, "`shown_by` is not in this file"),
        ({"simulated_user": {"see": {"acts": False}}}, "see: listed both under"),
        (
            {"alternatives": [{"tool": "see", "steps": [{"tool": "peek"}], "answer": {}}]},
            "needs 'peek', which `tools` does not list",
        ),
        ({"tasks": []}, "tasks"),
        ({"teeth": 32}, "teeth"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = written(tmp_path, small(**change))
    with pytest.raises(UserError) as refused:
        read_knowledge(path)
    assert str(path) in str(refused.value)
    assert message in str(refused.value)


def test_all_mistakes_are_shown_together(tmp_path: Path) -> None:
    path = written(tmp_path, small(teeth=32, answers="xml"))
    with pytest.raises(UserError, match=r"(?s)teeth.*|answers.*") as refused:
        load_knowledge(str(path))
    assert "teeth" in str(refused.value)
    assert "answers" in str(refused.value)


def test_an_empty_file_and_no_file_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="tasks"):
        load_knowledge(empty)
    with pytest.raises(UserError, match=r"nowhere\.yaml"):
        load_knowledge(tmp_path / "nowhere.yaml")


def test_shipped_files_are_found_by_task_and_by_name() -> None:
    shipped = shipped_knowledge()
    assert {name for name in shipped if name.startswith("tau2_")} == {
        f"tau2_{domain}" for domain in ("airline", "banking", "retail", "telecom")
    }
    for name, known in shipped.items():
        assert load_knowledge(name) == known
    assert load_knowledge("inspect_evals/tau2_retail") == load_knowledge("tau2_retail") == shipped["tau2_retail"]
    assert load_knowledge("inspect_evals/no_such_eval") is None


def test_the_suites_of_one_eval_are_taken_together() -> None:
    whole = load_knowledge("inspect_evals/agentdojo")
    assert whole is not None
    parts = [known for name, known in shipped_knowledge().items() if name.startswith("agentdojo_")]
    assert len(parts) == 4
    assert whole.tools.keys() == set().union(*(known.tools for known in parts))
    assert whole.tools["send_email"].shown_by is not None  # which the travel suite alone cannot say
    assert whole.bookkeeping == ("web.web_requests",)
    for known in parts:
        for name, tool in known.tools.items():
            assert whole.tools[name].spec(name).invariants == tool.spec(name).invariants


@pytest.mark.parametrize("known", shipped_knowledge().values(), ids=shipped_knowledge().keys())
def test_shipped_files_say_something_of_every_tool(known: EvalKnowledge) -> None:
    assert all(tool.acts != "unknown" for tool in known.everyone.values())
    assert all(tool.again != "unknown" for tool in known.everyone.values() if tool.acts)
    plan = known.recovery_plan()
    assert plan is not None
    assert plan.tools.keys() == known.everyone.keys()


TEXTS = {
    "a list of mappings": "- amount: 100.0\n  date: '2022-01-01'\n- amount: 2.5\n  date: '2022-02-12'",
    "times and text that looks like one": "body: '2024-05-20'\nstart: 2024-05-15 10:00:00\nstop: 2024-05-16",
    "an empty list": "[]",
    "a mapping as Python writes it": "{'name': 'Emma', 'street': \"Rue de l'Est\"}",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_yaml_is_read_and_written_again_as_it_was(text: str) -> None:
    data = read_answer(text, "yaml")
    assert isinstance(data, (dict, list))
    assert write_answer(data, "yaml", text) == text


def test_times_stay_text_and_a_changed_answer_keeps_its_form() -> None:
    text = TEXTS["times and text that looks like one"]
    data = read_answer(text, "yaml")
    assert data == {"body": "2024-05-20", "start": "2024-05-15 10:00:00", "stop": "2024-05-16"}
    assert (
        write_answer({**data, "body": "later"}, "yaml", text)
        == "body: later\nstart: 2024-05-15 10:00:00\nstop: 2024-05-16"
    )
    python = read_answer(TEXTS["a mapping as Python writes it"], "yaml")
    assert write_answer({**python, "name": ""}, "yaml", "{'name': 1}") == "{'name': '', 'street': \"Rue de l'Est\"}"


@pytest.mark.parametrize(
    "text",
    [
        "Hotel Names: Le Marais Boutique\nGood Night\nLuxury Palace\n",  # prose that YAML would read as a mapping
        "File with ID '11' not found.",
        "1810.0",
        "- a: [unclosed",
        "{'a': open('x')}",
        "{broken",
        "a: 1\na: 2",
        "",
    ],
)
def test_prose_is_no_data(text: str) -> None:
    assert read_answer(text, "yaml") == text


def test_every_reader_gets_data_of_its_own() -> None:
    text = TEXTS["a list of mappings"]
    read_answer(text, "yaml").clear()
    assert [one["amount"] for one in read_answer(text, "yaml")] == [100.0, 2.5]


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(DATA.filter(lambda data: isinstance(data, (dict, list))), st.sampled_from([60, 80, 10_000]))
def test_what_evals_write_is_read_alike_with_and_without_libyaml(data: Any, width: int) -> None:
    text = yaml.safe_dump(data, width=width).strip()
    with pytest.MonkeyPatch.context() as patched:
        found = []
        for loader, dumper in (
            (knowledge_answers._Loader, knowledge_answers._Dumper),
            (yaml.SafeLoader, yaml.SafeDumper),
        ):
            made = type("Times", (loader,), {})
            made.add_constructor(TIMES, knowledge_answers._as_text)
            patched.setattr(knowledge_answers, "_TextTimesLoader", made)
            patched.setattr(knowledge_answers, "_Loader", loader)
            patched.setattr(knowledge_answers, "_Dumper", dumper)
            knowledge_answers._packed_data.cache_clear()
            found.append(read_answer(text, "yaml"))
        assert found[0] == found[1]
    knowledge_answers._packed_data.cache_clear()


def test_json_is_read_as_everywhere() -> None:
    assert read_answer('{"a": [1, 2.5, null]}', "json") == {"a": [1, 2.5, None]}
    assert read_answer("- a\n- b", "json") == "- a\n- b"
    assert write_answer({"a": 1}, "json") == '{"a": 1}'
    assert write_answer("as it is", "yaml") == "as it is"
