"""Every mistake of a plan is reported: where, what is there, what to do; and all at once."""

# ruff: noqa: E501 - a message stands on one line, as people read it

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import PlanError, Problem, plan_from, read_plan
from sealegs.faults.kinds import KINDS

RULE: dict[str, Any] = {"match": {"tool": "a"}, "fault": {"kind": "error"}}
FAULT = RULE["fault"]
JARGON = re.compile(
    r"pydantic|https?:|\[type=|Input should|validation error|union|discriminator|NoneType|<class|dict\b"
)


def problems(data: Any) -> tuple[Problem, ...]:
    with pytest.raises(PlanError) as caught:
        plan_from(data)
    return caught.value.problems


def found(data: Any) -> tuple[Problem, ...]:
    """What is wrong with the data, if anything is; at least one thing where it is not a plan."""
    try:
        plan_from(data)
    except PlanError as error:
        return error.problems or (Problem("", "", "", ""),)
    return ()


def of_rule(**changes: Any) -> list[str]:
    rule = {key: value for key, value in {**RULE, **changes}.items() if value != "-"}
    return [str(problem) for problem in problems({"name": "x", "rules": [rule]})]


def of_fault(kind: str, **parameters: Any) -> list[str]:
    return of_rule(fault={"kind": kind, **parameters})


def of_file(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        read_plan(path)
    assert caught.value.source == str(path)
    return [str(problem) for problem in caught.value.problems]


CONDITIONS = "always, first, nth, every, probability, window, burst, outage, first_touch"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fault": {"kind": "eror"}}, 'rules[0].fault.kind: "eror" is not a kind of fault. Did you mean error?'),
        ({"fault": {"kind": "qqq"}}, f'rules[0].fault.kind: "qqq" is not a kind of fault. Give one of {", ".join(KINDS)}.'),
        ({"fault": {"status": 500}}, f"rules[0].fault.kind: is missing. Give the kind of fault: one of {', '.join(KINDS)}."),
        ({"fault": "error"}, 'rules[0].fault: "error" is not an object. Write it as `key: value` lines.'),
        ({"fault": "-"}, "rules[0].fault: is missing. Add it. What the agent then sees: a kind and its parameters."),
        ({"fault": {"kind": "error", "statuss": 5}}, "rules[0].fault.statuss: is not a field that belongs here. Did you mean status?"),
        ({"fault": {"kind": "empty", "seconds": 5}}, "rules[0].fault.seconds: is not a field that belongs here. Leave it out: there are no parameters here."),
        ({"fault": {"kind": "error", "status": 200}}, "rules[0].fault.status: 200 is less than 400. Give a number of at least 400."),
        ({"fault": {"kind": "error", "status": 600}}, "rules[0].fault.status: 600 is more than 599. Give a number of at most 599."),
        ({"fault": {"kind": "error", "status": "503"}}, 'rules[0].fault.status: "503" is not a whole number. Give a whole number. Write it without quotes.'),
        ({"fault": {"kind": "error", "exception": "ValueEror"}}, 'rules[0].fault.exception: "ValueEror" is not a built-in exception that is made from one message. Did you mean ValueError?'),
        ({"fault": {"kind": "error", "body": [1]}}, "rules[0].fault.body: [1] is not an object. Write it as `key: value` lines."),
        ({"fault": {"kind": "error", "body": {1: 2}}}, "rules[0].fault.body.1: is named by a key that is not text. Put the key in quotes."),
        ({"fault": {"kind": "error", "message": 3}}, "rules[0].fault.message: 3 is not text. Write it as text, in quotes."),
        ({"fault": {"kind": "timeout", "seconds": float("inf")}}, "rules[0].fault.seconds: Infinity is not finite. Give a number, or leave the field out for no limit."),
        ({"fault": {"kind": "connection", "mode": "slow"}}, "rules[0].fault.mode: \"slow\" is not one of the possible values. Give 'refused', 'reset', 'dns' or 'tls'."),
        ({"fault": {"kind": "delta", "offset": 0}}, "rules[0].fault.offset: 0 is not more than 0. Give a number above 0."),
        ({"fault": {"kind": "delta", "fields": "price"}}, 'rules[0].fault.fields: "price" is not a list. Write it as a list: [a, b].'),
        ({"fault": {"kind": "unit_swap", "unit": "kmm"}}, 'rules[0].fault.unit: "kmm" is not a known unit. Did you mean km?'),
        ({"fault": {"kind": "delay", "seconds": "long"}}, 'rules[0].fault.seconds: "long" is not a number. Give a number. Write it without quotes.'),
        ({"fault": {"kind": "delay", "seconds": {"normall": {}}}}, "rules[0].fault.seconds.normall: is not a distribution. Did you mean normal?"),
        ({"fault": {"kind": "delay", "seconds": {"normal": {"mean": 2}}}}, "rules[0].fault.seconds.normal.deviation: is missing. Add it. The standard deviation in seconds."),
        ({"fault": {"kind": "delay", "seconds": {"uniform": {"low": 2, "high": 1}}}}, 'rules[0].fault.seconds.uniform: {"low": 2, "high": 1} has low = 2 above high = 1. Exchange them.'),
        ({"fault": {"kind": "delay", "seconds": {"quantiles": {"points": [[0, 1], [0.5, 2]]}}}}, 'rules[0].fault.seconds.quantiles: {"points": [[0, 1], [0.5, 2]]} does not go from share 0 to share 1. Add the smallest and the largest value.'),
        ({"fault": {"kind": "delay", "seconds": {"quantiles": {"points": [[0, 2], [1, 1]]}}}}, 'rules[0].fault.seconds.quantiles: {"points": [[0, 2], [1, 1]]} does not rise. Sort the pairs; a share may be there once, and seconds may not fall.'),
        ({"fault": {"kind": "delay", "minimum": 2, "maximum": 1}}, 'rules[0].fault: {"kind": "delay", "minimum": 2, "maximum": 1} has minimum = 2 above maximum = 1. Exchange them.'),
        ({"fault": {"kind": "poisoned", "instruction": ""}}, 'rules[0].fault.instruction: "" is empty. Write something, or leave the field out.'),
        ({"when": {"probability": 1.5}}, "rules[0].when.probability: 1.5 is more than 1. Give a number of at most 1."),
        ({"when": {"probability": "often"}}, 'rules[0].when.probability: "often" is not a number. Give a number. Write it without quotes.'),
        ({"when": {"probabilty": 0.5}}, "rules[0].when.probabilty: is not a condition. Did you mean probability?"),
        ({"when": {"first": 0}}, "rules[0].when.first: 0 is less than 1. Give a number of at least 1."),
        ({"when": {"first": 1, "nth": 2}}, f'rules[0].when: {{"first": 1, "nth": 2}} has 2 keys where one is expected. Give one condition: {CONDITIONS}.'),
        ({"when": "alway"}, 'rules[0].when: "alway" is not a condition. Did you mean always?'),
        ({"when": 3}, f"rules[0].when: 3 is not a condition. Give one condition: {CONDITIONS}."),
        ({"when": {"window": [5, 2]}}, "rules[0].when.window: [5, 2] ends before it begins. Exchange the two numbers."),
        ({"when": {"window": [5]}}, "rules[0].when.window[1]: is missing. Add it."),
        ({"when": {"window": [1, 2, 3]}}, "rules[0].when.window: [1, 2, 3] has 3 items. Give at most 2."),
        ({"when": {"window": [1, "b"]}}, 'rules[0].when.window[1]: "b" is not a whole number. Give a whole number. Write it without quotes.'),
        ({"when": {"burst": {"probability": 0.5}}}, "rules[0].when.burst.length: is missing. Add it. Calls that a burst lasts, 1 to 1000."),
        ({"when": {"burst": 3}}, "rules[0].when.burst: 3 is not an object. Write it as `key: value` lines."),
        ({"when": {"outage": {"rate": 0.5}}}, "rules[0].when.outage.length: is missing. Add it. Struck calls in a row, on average, 1 to 1000."),
        ({"when": {"outage": {"rate": 1, "length": 3}}}, 'rules[0].when.outage: {"rate": 1, "length": 3} has a rate of 1, so that no run could end. Write `always`.'),
        ({"when": {"outage": {"rate": 0.8, "length": 2}}}, 'rules[0].when.outage: {"rate": 0.8, "length": 2} strikes too many calls for runs as short as 2. Give at least 4.'),
        ({"when": {"first_touch": []}}, "rules[0].when.first_touch: [] has 0 items. Give at least 1."),
        ({"match": "-"}, "rules[0].match: is missing. Add it. Which calls it may strike: tool, tag, model, argument, method, header, all, any or not."),
        ({"match": {"toll": "a"}}, "rules[0].match.toll: is not a matcher. Did you mean tool?"),
        ({"match": {"tool": ""}}, 'rules[0].match.tool: "" is empty. Write something, or leave the field out.'),
        ({"match": {"all": [{"tool": "a"}, {"tga": "b"}]}}, "rules[0].match.all[1].tga: is not a matcher. Did you mean tag?"),
        ({"match": {"not": {"any": [{"tool": 3}]}}}, "rules[0].match.not.any[0].tool: 3 is not text. Write it as text, in quotes."),
        ({"match": {"argument": {"equals": 3}}}, "rules[0].match.argument.name: is missing. Add it. The argument's name, or a dotted path into it."),
        ({"match": {"argument": {"name": "x", "equal": 3}}}, "rules[0].match.argument.equal: is not a field that belongs here. Did you mean equals?"),
        ({"match": {"argument": {"name": "x", "argument": 3}}}, "rules[0].match.argument.argument: is not a field that belongs here. The fields are name, equals, contains, matches, above, below, present."),
        ({"match": {"argument": {"name": "x", "above": "3"}}}, 'rules[0].match.argument.above: "3" is not a number. Give a number. Write it without quotes.'),
        ({"match": {"header": {"name": "x"}}}, 'rules[0].match.header: {"name": "x"} states no predicate. Add one of equals, contains, matches, present.'),
        ({"match": {"header": {"name": "x", "equal": "3"}}}, "rules[0].match.header.equal: is not a field that belongs here. Did you mean equals?"),
        ({"match": {"method": "post"}}, 'rules[0].match.method: "post" is not a method as requests name it. Write it in capitals, such as POST.'),
        ({"match": {"argument": {"name": "x"}}}, 'rules[0].match.argument: {"name": "x"} states no predicate. Add one of equals, contains, matches, above, below, present.'),
        ({"persistence": "forever"}, "rules[0].persistence: \"forever\" is not one of the possible values. Give 'transient' or 'permanent'."),
        ({"at_most": 0}, "rules[0].at_most: 0 is less than 1. Give a number of at least 1."),
        ({"id": ""}, 'rules[0].id: "" is empty. Write something, or leave the field out.'),
        ({"after": "nobody"}, 'rules[0].after: "nobody" is the id of no rule. Give one of rule-1.'),
        ({"after": "rule-1"}, 'rules[0].after: "rule-1" closes a circle (rule-1 after rule-1), so that none of them could ever strike. Remove one `after` of it.'),
        ({"wen": "always"}, "rules[0].wen: is not a field that belongs here. Did you mean when?"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_rule(changes: dict[str, Any], message: str) -> None:
    assert message in of_rule(**changes)


def test_one_mistake_in_a_union_is_one_mistake() -> None:
    assert len(of_rule(when={"probability": 1.5})) == 1
    assert len(of_fault("error", status="x")) == 1
    assert len(of_fault("delay", seconds={"normal": {"mean": -1, "deviation": 1}})) == 1
    assert len(of_rule(match={"all": [{"any": [{"tool": 1}]}]})) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "plan: is empty. Give at least a `name`; see docs/plans.md for the rest."),
        (3, "plan: 3 is not an object. Write it as `key: value` lines."),
        ({}, "name: is missing. Add it. The plan's name in records and reports."),
        ({"name": "x", "version": 2}, "version: 2 is not one of the possible values. Give 1."),
        ({"name": "x", "seed": 1.5}, "seed: 1.5 is not a whole number. Give a whole number."),
        ({"name": "x", "rules": {}}, "rules: {} is not a list. Write it as a list: [a, b]."),
        ({"name": "x", "rules": [3]}, "rules[0]: 3 is not an object. Write it as `key: value` lines."),
        ({"name": "x", "rulse": []}, "rulse: is not a field that belongs here. Did you mean rules?"),
    ],
)
def test_a_mistake_in_the_plan(data: Any, message: str) -> None:
    assert [str(problem) for problem in problems(data)] == [message]


def test_all_mistakes_are_reported_at_once_those_between_rules_too() -> None:
    rules = [
        {"id": "a", "match": {"tool": 3}, "fault": {"kind": "eror"}, "after": "b"},
        {"id": "b", "match": {"tool": "x"}, "when": {"first": -1}, "fault": FAULT, "after": "a"},
        {"id": "b", "match": {"tool": "x"}, "fault": FAULT, "after": "rule-9"},
        7,
    ]
    found = {problem.path for problem in problems({"seed": "s", "rules": rules})}
    assert found == {
        "name",
        "seed",
        "rules[0].match.tool",
        "rules[0].fault.kind",
        "rules[1].when.first",
        "rules[3]",
        "rules[2].id",
        "rules[2].after",
        "rules[0].after",
    }


def test_each_circle_is_reported_once() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", "f"), ("f", "e"), ("g", None)]
    rules = [{"id": id, **RULE, **({"after": after} if after else {})} for id, after in pairs]
    messages = [problem.wrong for problem in problems({"name": "x", "rules": rules})]
    assert len(messages) == 2
    assert "(a after b after c after a)" in messages[0]
    assert "(e after f after e)" in messages[1]


def test_the_error_tells_everything_and_travels() -> None:
    with pytest.raises(PlanError) as caught:
        plan_from({"rules": [{**RULE, "at_most": 0}]})
    error = caught.value
    assert str(error) == (
        "plan has 2 mistakes:\n"
        "  name: is missing. Add it. The plan's name in records and reports.\n"
        "  rules[0].at_most: 0 is less than 1. Give a number of at least 1."
    )
    assert isinstance(error, ValueError)
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


WORDS = [
    *("tool", "tag", "argument", "all", "any", "not", "name", "equals", "present", "kind", "error", "delay", "seconds"),
    *(
        "normal",
        "mean",
        "quantiles",
        "points",
        "first",
        "nth",
        "window",
        "burst",
        "probability",
        "length",
        "outage",
        "rate",
        "first_touch",
        "status",
        "body",
    ),
    *("match", "when", "fault", "id", "after", "at_most", "rules", "always", "unit", "fields", "mode", "1"),
]
SCALARS = st.sampled_from([None, True, 0, 1, -3, 2.5, "", "x", float("inf"), float("nan"), *WORDS])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*WORDS, 1, None, True]), inner, max_size=3)
    ),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {
        "match": st.one_of(ANYTHING, st.dictionaries(st.sampled_from(["tool", "all", "argument", "not"]), ANYTHING)),
        "when": st.one_of(ANYTHING, st.dictionaries(st.sampled_from(["first", "burst", "outage", "window"]), ANYTHING)),
        "fault": st.tuples(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(WORDS), ANYTHING)).map(
            lambda two: {**two[1], "kind": two[0]}
        ),
    },
    optional={"id": ANYTHING, "after": ANYTHING, "at_most": ANYTHING, "persistence": ANYTHING},
)


@given(ANYTHING | st.fixed_dictionaries({"name": SCALARS, "rules": ANYTHING | st.lists(NEARLY, max_size=3)}))
def test_whatever_stands_there_the_answer_is_plain(data: Any) -> None:
    for problem in found(data):
        assert problem.path
        assert problem.wrong
        assert problem.remedy
        assert problem.wrong != "cannot be used here", problem  # an error that has no words of its own
        assert not JARGON.search(f"{problem.wrong} {problem.remedy}"), problem


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{one}: &a{one} [*a{one - 1}, *a{one - 1}]\n" for one in range(1, 40))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("name: x: y", "line 1, column 8: is not valid YAML (mapping values are not allowed here)."),
        ("name: x\nrules:\n  - match: {tool: a\n", "line 4, column 1: is not valid YAML ("),
        ("name: x\nname: y\n", 'line 2, column 1: "name" appears twice in one object. Keep one of the two.'),
        ("name: !!python/object:os.system x", "line 1, column 7: is not valid YAML (could not determine a constructor"),
        ("a: 1\n---\nb: 2", "line 2, column 1: is not valid YAML ("),
        (
            "a: \x07",
            "file: is not valid YAML (special characters are not allowed). Remove everything that is not text.",
        ),
        ("[" * 5000, "file: is nested too deeply. Write it with fewer levels."),
        ("seed: " + "9" * 5000, 'line 1, column 7: "99999'),
        (
            "name: !!int word",
            'line 1, column 7: "word" cannot be read as !!int. Write another value, or put it in quotes.',
        ),
        ("name: !!int ''", 'line 1, column 7: "" cannot be read as !!int.'),
        ("name: !!bool word", 'line 1, column 7: "word" cannot be read as !!bool.'),
        ("name: !!timestamp word", 'line 1, column 7: "word" cannot be read as !!timestamp.'),
        ("!!map [a]", "line 1, column 1: is not valid YAML (expected a mapping node, but found sequence)."),
        ('name: "\\U00110000"', "file: is not valid YAML (an escape that is not a character)."),
        ('name: "\\UFFFFFFFF"', "file: is not valid YAML (an escape that is not a character)."),
        (LAUGHS, "file: is more than 1,000,000 values once its aliases are written out. Use fewer aliases (`*name`)."),
        ("name: &a [*a]", "name: "),
        ("", "plan: is empty."),
        ("# nothing\n", "plan: is empty."),
    ],
)
def test_yaml_that_cannot_be_read(tmp_path: Path, text: str, start: str) -> None:
    (message,) = of_file(tmp_path / "plan.yaml", text)
    assert message.startswith(start)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ('{"name": }', "line 1, column 10: is not valid JSON (Expecting value)."),
        ("", "line 1, column 1: is not valid JSON (Expecting value)."),
        ("[" * 100_000, "file: is nested too deeply."),
        ('{"name": "x", "name": "y"}', 'file: "name" appears twice in one object.'),
    ],
)
def test_json_that_cannot_be_read(tmp_path: Path, text: str, start: str) -> None:
    (message,) = of_file(tmp_path / "plan.json", text)
    assert message.startswith(start)


def test_form_and_content_are_reported_together(tmp_path: Path) -> None:
    messages = of_file(tmp_path / "plan.yaml", "name: x\nseed: 1\nseed: a\n")
    assert len(messages) == 2
    assert messages[0].startswith("line 3, column 1:")
    assert messages[1].startswith("seed: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "outages.yaml").write_text("name: x", encoding="utf-8")
    (tmp_path / "latin.yaml").write_bytes(b"name: \xe9")

    def problem_text(name: str) -> str:
        with pytest.raises(PlanError) as caught:
            read_plan(tmp_path / name)
        return str(caught.value.problems[0])

    assert problem_text("outage.yaml") == "file: does not exist. Did you mean outages.yaml?"
    assert problem_text("nowhere/at_all.yaml") == "file: does not exist. Check its name."
    assert problem_text("latin.yaml") == "file: is not UTF-8 text (byte 6). Save it as UTF-8."
    assert problem_text("") == "file: cannot be read (Is a directory). Give the name of a readable file."


def test_yaml_surprises_nobody(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "no": "no",
        "on": "on",
        "12:30": "12:30",
        "2026-01-05": "2026-01-05",
        "1_000": "1_000",
        "010": "010",
    }
    values = {**values, "true": True, "5": 5, "-2.5": -2.5, "~": None, "1.0e-07": 1e-07}
    for written, meant in values.items():
        path = tmp_path / "plan.yaml"
        rule = f"{{match: {{argument: {{name: x, equals: {written}}}}}, fault: {{kind: error}}}}"
        path.write_text(f"name: x\nrules:\n- {rule}\n", encoding="utf-8")
        plan = read_plan(path)
        assert plan.as_data()["rules"][0]["match"]["argument"]["equals"] == meant
        path.write_text(plan.to_yaml(), encoding="utf-8")
        assert read_plan(path) == plan


def test_anchors_and_merges_are_no_doubles(tmp_path: Path) -> None:
    text = (
        "name: x\nrules:\n- &base\n  id: a\n  match: {tool: t}\n  fault: {kind: hang}\n"
        "- <<: *base\n  id: b\n  fault: {kind: timeout}\n"
    )
    path = tmp_path / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    plan = read_plan(path)
    assert [(rule.id, rule.fault.kind) for rule in plan.rules] == [("a", "hang"), ("b", "timeout")]
    path.with_suffix(".json").write_text(json.dumps(plan.as_data()), encoding="utf-8")
    assert read_plan(path.with_suffix(".json")) == plan
