"""Plans: one value, however written."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sealegs.faults import Fault, Plan, Rule, plan_from, plan_schema, read_plan, unmatched
from sealegs.faults.kinds import KINDS, Delay, Error, Lognormal, Poisoned
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Argument, Burst, First, FirstTouch, Tag, Tool

from .test_matchers import MATCHERS
from .test_triggers import CONDITIONS
from .trip import SPEC

FAULTS: st.SearchStrategy[Fault] = st.one_of(
    st.sampled_from(sorted(KINDS)).map(lambda kind: KINDS[kind](kind=kind)),
    st.builds(
        lambda status, seconds: Error(status=status, retry_after=seconds), st.integers(400, 599), st.floats(0, 9)
    ),
    st.builds(lambda median: Delay(seconds=Lognormal(median=median, sigma=1)), st.floats(0.1, 9)),
    st.text(min_size=1, max_size=30).map(lambda text: Poisoned(instruction=text)),
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(0, 4))
    named = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    rules = tuple(
        Rule(
            **({"id": f"id {index}"} if name else {}),
            match=draw(MATCHERS),
            when=draw(CONDITIONS),
            fault=draw(FAULTS),
            persistence=draw(st.sampled_from(["transient", "permanent"])),
            at_most=draw(st.none() | st.integers(1, 9)),
            key=draw(st.sampled_from([None, "arguments", "order"])),
            after=f"id {index - 1}" if index and named[index - 1] and draw(st.booleans()) else None,
        )
        for index, name in enumerate(named)
    )
    text = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)
    return Plan(name=draw(text), seed=draw(st.integers(-5, 10**20)), rules=rules)


VALIDATOR = jsonschema_rs.validator_for(plan_schema())
PLAIN = Rule(match=Tool("search*"), when=First(2), fault=Error(status=503))
WRITTEN = """\
version: 1
name: mornings
seed: 7
rules:
- id: outage
  match:
    tool: search*
  when:
    first: 2
  fault:
    kind: error
    status: 503
- id: rule-2
  match:
    all:
    - tag: travel
    - not:
        argument:
          name: city
          equals: Oslo
  when:
    burst:
      probability: 0.25
      length: 3
  fault:
    kind: delay
    seconds:
      lognormal:
        median: 2.0
        sigma: 0.5
  persistence: permanent
  at_most: 3
  after: outage
"""
MORNINGS = Plan(
    name="mornings",
    seed=7,
    rules=(
        Rule(id="outage", match=Tool("search*"), when=First(2), fault=Error(status=503)),
        Rule(
            match=Tag("travel") & ~Argument(name="city", equals="Oslo"),
            when=Burst(probability=0.25, length=3),
            fault=Delay(seconds=Lognormal(median=2, sigma=0.5)),
            persistence="permanent",
            at_most=3,
            after="outage",
        ),
    ),
)


def test_a_plan_reads_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(WRITTEN, encoding="utf-8")
    assert read_plan(path) == MORNINGS
    assert MORNINGS.to_yaml() == WRITTEN


@given(plans())
def test_yaml_json_and_python_are_one_plan(tmp_path_factory: pytest.TempPathFactory, plan: Plan) -> None:
    folder = tmp_path_factory.mktemp("plans")
    (folder / "plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    (folder / "plan.json").write_text(json.dumps(plan.as_data()), encoding="utf-8")
    in_full = plan_from(plan.model_dump(mode="json", by_alias=True))
    for other in (read_plan(folder / "plan.yaml"), read_plan(folder / "plan.json"), plan_from(plan.as_data()), in_full):
        assert other == plan
        assert other.digest() == plan.digest()
    assert pickle.loads(pickle.dumps(plan)) == plan


@pytest.mark.parametrize(
    "text", ["\x85", "a\u2028b", "\ufeff", "two\nlines\n", "  spaced ", "é: #5", "- no", "\t", "\x07", "😀"]
)
def test_odd_text_comes_back(tmp_path: Path, text: str) -> None:
    plan = Plan(name="x", rules=(Rule(match=Tool("a"), fault=Poisoned(instruction=text)),))
    (tmp_path / "plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    assert read_plan(tmp_path / "plan.yaml") == plan


@given(plans())
def test_real_plans_keep_the_schema(plan: Plan) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(plan.as_data())] == []
    assert VALIDATOR.is_valid(plan.model_dump(mode="json", by_alias=True))
    assert VALIDATOR.is_valid(yaml.safe_load(plan.to_yaml()))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"name": "x", "rule": []},
        {"name": "x", "rules": [{"match": {"tool": "a"}}]},
        {"name": "x", "rules": [{"match": {"tool": "a"}, "fault": {"status": 503}}]},
        {"name": "x", "rules": [{"match": {"tool": "a"}, "fault": {"kind": "error", "retry_after": -1}}]},
        {"name": "x", "rules": [{"match": {"tool": "a", "tag": "b"}, "fault": {"kind": "error"}}]},
        {"name": "x", "rules": [{"match": {"argument": {"equals": 1}}, "fault": {"kind": "error"}}]},
        {"name": "x", "rules": [{"match": {"tool": "a"}, "when": {"nth": 0}, "fault": {"kind": "error"}}]},
        {
            "name": "x",
            "rules": [{"match": {"tool": "a"}, "when": {"burst": {"length": 2}}, "fault": {"kind": "error"}}],
        },
    ],
)
def test_the_schema_shows_an_editor_what_is_wrong(wrong: Any) -> None:
    assert not VALIDATOR.is_valid(wrong)
    with pytest.raises(ValueError, match="mistake"):
        plan_from(wrong)


def test_the_schema_describes_every_parameter() -> None:
    schema = plan_schema()
    assert schema["$schema"].endswith("2020-12/schema")
    for kind, model in KINDS.items():
        properties = schema["$defs"][model.__name__]["properties"]
        assert set(properties) == set(model.model_fields)
        assert all("description" in field for name, field in properties.items() if name != "kind"), kind


def test_rules_without_an_id_are_called_by_their_place() -> None:
    plan = Plan(name="x", rules=(PLAIN, PLAIN.model_copy(update={"id": "mine"}), PLAIN))
    assert [rule.id for rule in plan.rules] == ["rule-1", "mine", "rule-3"]


def test_a_digest_is_of_meaning_not_of_spelling() -> None:
    short = plan_from({"name": "x", "rules": [{"match": {"tool": "a"}, "fault": {"kind": "timeout", "seconds": 30}}]})
    rule = {"id": "rule-1", "when": "always", "fault": {"seconds": 30.0, "kind": "timeout"}, "match": {"tool": "a"}}
    assert plan_from({"rules": [rule], "seed": 0, "version": 1, "name": "x"}).digest() == short.digest()
    assert len(short.digest()) == 64
    changed = short.model_copy(update={"seed": 1})
    assert changed.digest() != short.digest()


def keyed(plan: Plan, key: Any) -> Plan:
    return plan.model_copy(update={"rules": tuple(rule.model_copy(update={"key": key}) for rule in plan.rules)})


def test_a_digest_is_fixed_for_good() -> None:
    """By order draws all that was drawn before there was a choice, so that its digest is the one of those days."""
    assert MORNINGS.digest() == "17f68026ce55454fa6d676019b5dfca981c99ad5a2be64f627f507c0e5f97e3a"
    assert keyed(MORNINGS, "order").digest() == "c12ca621e7be02cc40f879c3747253d09c175c889df75465a445a08d83f7d499"
    assert len({keyed(MORNINGS, key).digest() for key in (None, "order", "arguments")}) == 3


def digest_of_the_whole(plan: Plan) -> str:
    """The digest as it is defined: of the whole plan's JSON, in which a rule names its key unless it goes by order."""
    data = plan.as_data()
    for written, rule in zip(data.get("rules", ()), plan.rules, strict=True):
        written.pop("key", None)
        if rule.key != "order":
            written["key"] = rule.key
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@given(plans())
def test_a_digest_that_is_put_together_of_the_rules_is_that_of_the_whole(plan: Plan) -> None:
    assert plan.digest() == digest_of_the_whole(plan)


def test_plans_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        MORNINGS.seed = 8  # type: ignore[misc]
    with pytest.raises(ValidationError, match="frozen"):
        MORNINGS.rules[0].id = "other"  # type: ignore[misc]


def test_tangles_are_refused_in_python_too() -> None:
    with pytest.raises(ValidationError, match="is the id of no rule"):
        Plan(name="x", rules=(PLAIN.model_copy(update={"after": "nobody"}),))
    with pytest.raises(ValidationError, match="is also the id of"):
        Plan(name="x", rules=(PLAIN.model_copy(update={"id": "a"}), PLAIN.model_copy(update={"id": "a"})))


def test_rules_that_match_no_tool_are_found() -> None:
    def rules(*matches: Any) -> tuple[Rule, ...]:
        return tuple(Rule(match=match, fault=Error()) for match in matches)

    tools = [SPEC, ToolSpec("search_web", tags=frozenset({"web"}))]
    plan = Plan(
        name="x",
        rules=(
            *rules(Tool("book_*"), Tool("pay"), Tag("web"), Tag("iot"), Argument(name="a", equals=1)),
            Rule(match=Tool("search_web"), when=FirstTouch(("book_trip", "pay")), fault=Error()),
            Rule(match=Tool("*"), when=FirstTouch(("book_trip", "pay")), fault=Error()),
        ),
    )
    assert unmatched(plan, tools) == ["rule-2", "rule-4", "rule-6"]
    assert unmatched(plan, []) == [rule.id for rule in plan.rules]
