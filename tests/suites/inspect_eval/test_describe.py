"""The draft of what is known of an eval's tools: it loads, declares nothing, and says what was seen."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.suites.inspect_eval.describe import describe_eval
from sealegs.suites.inspect_eval.eval_marks import OFFERED, SCHEMAS
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, read_knowledge
from sealegs.traces.events import EpisodeEnded
from sealegs.traces.record import Record, Turn

TASK: Any = SimpleNamespace(name="garden", registry_name="sheds/garden")


def record(turns: list[tuple[str, dict[str, Any], Outcome]], **about: Any) -> Record:
    made = tuple(
        Turn(Call(tool, arguments, id=str(place)), said=outcome, shown=outcome)
        for place, (tool, arguments, outcome) in enumerate(turns)
    )
    return Record("1", about, made, "Done.", EpisodeEnded("answered", "", 0.0))


def loaded(folder: Path, text: str) -> EvalKnowledge:
    path = folder / "draft.yaml"
    path.write_text(text, encoding="utf-8")
    return read_knowledge(path)


SEEN = record(
    [
        ("get_bed", {"bed": "north", "deep": True}, Value({"bed": "north", "height": 3, "note": None})),
        ("get_bed", {"bed": "south", "deep": True}, Value({"bed": "south", "height": 2, "note": "dry"})),
        ("plant", {"seed": "leek"}, Failure("no space")),
    ],
    **{
        OFFERED: ["get_bed", "plant", "dig"],
        SCHEMAS: {"get_bed": {"description": "See a bed.\n\nArgs:\n  bed: which", "parameters": {}}},
    },
)


def test_the_draft_declares_nothing(tmp_path: Path) -> None:
    known = loaded(tmp_path, describe_eval(TASK, [SEEN]))
    assert known.tasks == ("sheds/garden",)
    assert known.tools.keys() == {"dig", "get_bed", "plant"}
    assert {tool.acts for tool in known.tools.values()} == {"unknown"}
    assert known.implicit == {}
    assert known.recovery_plan() is None
    assert all(spec.effects is None and not spec.invariants and not spec.returns for spec in known.specs)


def test_the_draft_says_what_was_seen_in_comments() -> None:
    text = describe_eval(TASK, [SEEN])
    assert "# See a bed. Args: bed: which" in text
    assert "acts: unknown  # false? (get seems to change nothing; confirm)" in text
    assert 'returns: {"type": "object", "required": ["bed", "height"], "properties":' in text
    assert '- echo: {argument: "bed", field: "bed"}' in text
    assert 'examples: [{arguments: {"bed": "north", "deep": true}}]' in text
    assert "(the name does not tell; confirm)" in text
    assert text.count("no sample called it") == 1  # dig


def test_what_the_draft_suggests_loads_once_it_is_confirmed(tmp_path: Path) -> None:
    text = describe_eval(TASK, [SEEN])
    for line in text.splitlines():
        if "returns:" in line and '"required"' in line:
            text = text.replace(line, "    " + line[line.index("returns:") :])
    text = text.replace("acts: unknown  # false?", "acts: false  #")
    known = loaded(tmp_path, text)
    assert known.implicit["get_bed"] == ("missing_required_fields", "tool_leakage")


@pytest.mark.parametrize("name", ["true", "null", "on", "a: b", "#x", "- y", "naïve", "12", "a\nb", '"q"', "{x}"])
def test_odd_names_and_texts_load(name: str, tmp_path: Path) -> None:
    odd = 'tab\t quote" back\\slash \x1b[0m \x85 \u2028 \U0001f600 \ud83d # : - {}'
    turns = [(name, {odd: odd, "n": float("1e300"), "none": None}, Value({"a": 1}))]
    schemas = {name: {"description": odd}}
    text = describe_eval(TASK, [record(turns, **{OFFERED: [name], SCHEMAS: schemas})])
    known = loaded(tmp_path, text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    assert list(known.tools) == [name]


def test_an_eval_without_calls_gives_an_empty_draft(tmp_path: Path) -> None:
    assert loaded(tmp_path, describe_eval(TASK, [record([])])).tools == {}


def test_answers_in_yaml_are_described_as_yaml(tmp_path: Path) -> None:
    turns: list[tuple[str, dict[str, Any], Outcome]] = [
        ("get_bed", {"bed": "north"}, Value("bed: north\nheight: 3\nplants:\n- leek")),
        ("get_bed", {"bed": "south"}, Value("{'bed': 'south', 'height': 2, 'plants': []}")),
        ("plant", {"seed": "leek"}, Value("Planted: a leek.")),
    ]
    text = describe_eval(TASK, [record(turns, **{OFFERED: ["get_bed", "plant"]})])
    assert loaded(tmp_path, text).answers == "yaml"
    assert 'in all 2 answers: returns: {"type": "object", "required": ["bed", "height", "plants"]' in text
    assert '- echo: {argument: "bed", field: "bed"}' in text


def test_a_few_texts_like_yaml_leave_answers_in_json_as_they_are(tmp_path: Path) -> None:
    turns: list[tuple[str, dict[str, Any], Outcome]] = [
        ("get_bed", {"bed": "north"}, Value({"bed": "north"})),
        ("get_bed", {"bed": "south"}, Value({"bed": "south"})),
        ("note", {}, Value("from: me")),
    ]
    assert loaded(tmp_path, describe_eval(TASK, [record(turns)])).answers == "json"
