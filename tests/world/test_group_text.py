"""The text form of alternative groups: it is read as it was written, and what is not in it is reported by line."""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.user_error import UserError
from sealegs.tasks.graph import Constant
from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.corpus import load_corpus, load_corpus_file
from sealegs.world.group_parser import is_reference, parse_groups
from sealegs.world.group_writer import write_groups
from sealegs.world.tool import DOMAINS

DOCUMENTED = Path(__file__).parent.parent.parent / "docs" / "world.md"
GARDEN = Path(__file__).parent.parent.parent / "examples" / "garden.py"
SOUND = """\
# A comment.
group converted(amount, source, target) -> result, rate
  What an amount is
    in another currency.
  | direct: convert(amount, source, target)
  | by_rate: rate_of(base=source, quote=target, kind="middle")

      > multiply(amount, rate=rate_of.rate.0)
      -> rate=rate_of.rate.0
  e.g. 4.5, "EUR",
      "USD"
  e.g. 3, "GBP", "JPY"
"""
CONVERTED = Pattern(
    "converted",
    "What an amount is in another currency.",
    ("amount", "source", "target"),
    ("result", "rate"),
    (
        Way(
            "direct",
            {"convert": {"amount": "in.amount", "source": "in.source", "target": "in.target"}},
            {"result": "convert.result", "rate": "convert.rate"},
        ),
        Way(
            "by_rate",
            {
                "rate_of": {"base": "in.source", "quote": "in.target", "kind": "middle"},
                "multiply": {"amount": "in.amount", "rate": "rate_of.rate.0"},
            },
            {"result": "multiply.result", "rate": "rate_of.rate.0"},
        ),
    ),
    ({"amount": 4.5, "source": "EUR", "target": "USD"}, {"amount": 3, "source": "GBP", "target": "JPY"}),
)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True).filter(
    lambda n: n not in ("true", "false", "null", "in")
)
DATA: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def patterns(draw: st.DrawFn, name: str = "made") -> Pattern:
    """Any group that can be written."""
    inputs = draw(st.lists(NAMES, max_size=4, unique=True))
    exports = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    tools = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    cut = draw(st.integers(1, len(tools) - 1))
    ids = draw(st.lists(NAMES, min_size=2, max_size=2, unique=True))
    ways = [draw(_ways(id, part, inputs, exports)) for id, part in zip(ids, (tools[:cut], tools[cut:]), strict=True)]
    taken = {value for way in ways for call in way.calls.values() for value in call.values() if isinstance(value, str)}
    used = tuple(name for name in inputs if f"in.{name}" in taken)
    rows = draw(st.lists(st.tuples(*(DATA for _ in used)), max_size=3))
    examples = tuple(dict(zip(used, row, strict=True)) for row in rows)
    words = st.text(st.characters(categories=("L", "N", "P"), exclude_characters="|"), min_size=1, max_size=9)
    purpose = " ".join(("What", *draw(st.lists(words, max_size=40))))
    return Pattern(name, purpose, used, tuple(exports), tuple(ways), examples)


@st.composite
def _ways(draw: st.DrawFn, id: str, tools: list[str], inputs: list[str], exports: list[str]) -> Way:
    calls: dict[str, dict[str, Any]] = {}
    for tool in tools:
        texts = st.sampled_from(["in.amount", f"{tools[-1]}.x", "e.g. | > -> #", '"', "é\u2028"]) | st.text()
        sources = DATA | texts
        if inputs:
            sources |= st.sampled_from([Reference(f"in.{name}") for name in inputs])
        if calls:
            sources |= st.builds(lambda t, p: Reference(f"{t}.{p}"), st.sampled_from(sorted(calls)), NAMES)
        bound = draw(st.dictionaries(NAMES, sources, max_size=4))
        calls[tool] = {name: _canonical(value, tools) for name, value in bound.items()}
    order = draw(st.permutations(exports))
    return Way(id, calls, {name: f"{draw(st.sampled_from(tools))}.{draw(NAMES)}" for name in order})


@dataclass(frozen=True)
class Reference:
    """Text that is meant as a reference, while a constant may look like one."""

    text: str


def _canonical(value: Any, tools: list[str]) -> Any:
    if isinstance(value, Reference):
        return value.text
    return Constant(value) if is_reference(value, tools) else value


def ordered(pattern: Pattern) -> str:
    """Everything of a group, the order of its mappings too."""
    return repr(pattern)


def test_the_form_is_read() -> None:
    assert list(map(ordered, parse_groups(SOUND, "groups.txt"))) == [ordered(CONVERTED)]


def test_the_documented_example_is_the_one_that_ships() -> None:
    shipped, printed = re.findall(r"```text\n(.*?)```", DOCUMENTED.read_text(encoding="utf-8"), re.DOTALL)
    (group,) = parse_groups(shipped, "world.md")
    assert replace(load_corpus().groups[group.name], examples=group.examples) == group
    assert set(map(repr, group.examples)) <= set(map(repr, load_corpus().groups[group.name].examples))
    assert [group.name for group in parse_groups(printed, "world.md")] == ["bed_watered"]


@given(patterns())
def test_what_is_written_is_read_again(pattern: Pattern) -> None:
    text = write_groups([pattern])
    (again,) = parse_groups(text, "made.txt")
    assert ordered(again) == ordered(pattern)
    assert write_groups([again]) == text


@settings(max_examples=10)
@given(patterns("one"), patterns("two"))
def test_groups_keep_their_order(one: Pattern, two: Pattern) -> None:
    assert parse_groups(write_groups([two, one]), "made.txt") == (two, one)


@given(st.text() | st.text("group x(a)->b\n |:e.g.1\",'", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UserError):
        groups = parse_groups(text, "any.txt")
        assert parse_groups(write_groups(groups), "again.txt") == groups


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_ships_is_as_the_writer_writes_it(domain: str) -> None:
    text = (resources.files(f"sealegs.world.{domain}") / "groups.txt").read_text(encoding="utf-8")
    comment, _, groups = text.partition("\n\n")
    assert comment.startswith("# ")
    assert groups == write_groups(parse_groups(groups, domain))
    assert parse_groups(text, domain) == tuple(g for g in load_corpus().groups.values() if f"group {g.name}(" in groups)


def test_constants_that_look_like_references_are_wrapped() -> None:
    text = SOUND.replace('kind="middle"', 'kind="in.amount", second="multiply.x", third="other.x"')
    (group,) = parse_groups(text, "groups.txt")
    call = group.ways[1].calls["rate_of"]
    assert (call["kind"], call["second"], call["third"]) == (Constant("in.amount"), Constant("multiply.x"), "other.x")


def test_a_way_that_lists_all_exports_gives_their_order() -> None:
    (group,) = parse_groups(SOUND.replace("-> rate=rate_of.rate.0", "-> rate=rate_of.rate, result=multiply.x"), "x")
    assert list(group.ways[1].exports.items()) == [("rate", "rate_of.rate"), ("result", "multiply.x")]


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ("  e.g. 3,", "\te.g. 3,", 12, "is indented with a tab; use spaces"),
        ("# A comment.", "  | x: y()", 1, "this line belongs to no group; begin with `group NAME"),
        ("  e.g. 3,", " e.g. 3,", 12, "is indented by one space; use two"),
        ("# A comment.", "A comment.", 1, "no group begins so; begin with `group NAME(INPUTS) -> EXPORTS`, and indent"),
        ("# A comment.", "12", 1, "expected `group`, which is a name, not '12'"),
        ("converted(", "converted[", 2, "expected `(` and the inputs, not '[amount"),
        ("group converted(", "group (", 2, "expected the group's name, which is a name, not '(amount"),
        ("target) ->", "target)", 2, "expected `->` and the exports, not 'result, rate'"),
        ("target) ->", "target ->", 2, "expected `,` or `)`, not '-> result, rate'"),
        ("result, rate", "result, rate rest", 2, "did not expect 'rest' here"),
        ("(amount, source, target) ->", "(amount, source, in) ->", 2, "an input cannot be named in"),
        ("-> result, rate", "-> result, null", 2, "an export cannot be named null"),
        ("(amount, source, target) ->", "(amount, amount) ->", 2, "the input amount is given twice; leave one out"),
        ("-> result, rate", "-> rate, rate", 2, "the export rate is given twice"),
        ("  What an amount is\n    in another currency.\n", "", 2, "converted has no purpose; say below it"),
        ("  | direct:", "  direct:", 5, "is no way and no example; begin it with `|` or `e.g.`, or indent it further"),
        ("  | direct: convert(amount, source, target)\n", "", 2, "converted needs two ways or more, and has 1"),
        ("| direct:", "| by_rate:", 2, "two ways of converted are named by_rate; rename one"),
        ("convert(", "multiply(", 2, "two ways of converted call multiply; a tool can stand in one of them only"),
        ("(amount, source, target) ->", "(amount, source, target, day) ->", 11, "gives 3 values for the 4 inputs"),
        ('"USD"\n  e.g. 3, "GBP", "JPY"', '"USD"\n  e.g. 3, "GBP"', 12, "gives 2 values for the 3 inputs"),
        ("direct:", "direct", 5, "expected `:` and the way's calls, not 'convert(amount"),
        ("| direct:", "| :", 5, "expected the way's name, which is a name, not ': convert"),
        ("convert(amount", "true(amount", 5, "a tool cannot be named true"),
        ("convert(amount", "convert amount", 5, "expected `(` and the arguments, not 'amount, source, target)'"),
        (
            "convert(amount,",
            "convert(sum,",
            5,
            "sum is not an input of the group; its inputs are amount, source",
        ),
        ("base=source", "base=EUR", 6, "put a text in double quotes"),
        ("kind=", "base=", 6, "the argument base is given twice"),
        ('"middle"', "'middle'", 6, "expected a JSON value, not \"'middle')\"; put a text in double quotes"),
        ('"middle"', "NaN", 6, "NaN is not an input of the group"),
        ('"middle"', "-Infinity", 6, "expected a JSON value, not '-Infinity)'"),
        ('"middle"', "", 6, "expected a JSON value, not ')'"),
        ('"middle"', '"mid\n        dle"', 6, "put a text in double quotes, on one line"),
        ("base=source", "base=in.source", 6, "cannot read in.source; an input is written by its name alone"),
        ("rate=rate_of.rate.0)", "rate=convert.rate)", 8, "convert.rate is a field of a tool that the way"),
        ("base=source", "base=multiply.x", 6, "the way did not call before; this is its first call"),
        ("> multiply(", "> rate_of(", 8, "by_rate calls rate_of twice; a way can call a tool once"),
        ("-> rate=", "-> rates=", 9, "rates is not an export of converted; its exports are result, rate"),
        ("-> rate=rate_of.rate.0", "-> rate", 9, "expected `=` and the field that is rate, not the end"),
        ("-> rate=rate_of.rate.0", "-> rate=source", 9, "expected a field as `TOOL.FIELD`, not 'source'"),
        ("-> rate=rate_of.rate.0", "-> rate=rate_of.a, rate=rate_of.b", 9, "the export rate is given twice"),
        ("e.g. 3,", "e.g. 3;", 12, 'did not expect \'; "GBP", "JPY"\' here'),
        ("e.g. 3,", "e.g. three,", 12, 'expected a JSON value, not \'three, "GBP", "JPY"\''),
        ("e.g. 3,", "e.g.", 12, "gives 2 values for the 3 inputs"),
        ('"GBP", "JPY"', '"GBP",', 12, "expected a JSON value, not the end"),
    ],
)
def test_what_is_not_in_the_form_is_reported(before: str, after: str, line: int, message: str) -> None:
    assert before in SOUND
    with pytest.raises(UserError) as caught:
        parse_groups(SOUND.replace(before, after, 1), "groups.txt")
    first = str(caught.value).split("\n")[0]
    assert first.startswith(f"groups.txt:{line}: ")
    assert message in first


def test_an_input_that_no_way_takes_is_reported() -> None:
    text = SOUND.replace("(amount, source, target) ->", "(amount, source, target, day) ->")
    text = text.replace('"USD"', '"USD", 1').replace('"JPY"', '"JPY", 2')
    with pytest.raises(UserError, match=r"groups\.txt:2: no way of converted takes the input day; use it"):
        parse_groups(text, "groups.txt")


def test_all_mistakes_are_reported_together() -> None:
    text = SOUND.replace("convert(amount,", "convert(sum,").replace("> multiply(", "> rate_of(").replace("3,", "3;")
    with pytest.raises(UserError) as caught:
        parse_groups(text + SOUND + SOUND, "groups.txt")
    lines = [line.partition(": ")[0] for line in str(caught.value).split("\n")]
    assert lines == ["groups.txt:5", "groups.txt:8", "groups.txt:12", "groups.txt:26"]
    assert "a second group is named converted; rename one" in str(caught.value)


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_groups([Pattern("x", "Why.", ("a",), ("b",), CONVERTED.ways, ({"a": float("nan")},))])


def test_a_file_of_ones_own_has_its_groups_beside_it(tmp_path: Path) -> None:
    code = GARDEN.read_text().partition("BED_WATERED = ")[0]
    (tmp_path / "garden.py").write_text(code)
    declared = load_corpus_file(GARDEN).groups
    beside = tmp_path / "garden.groups.txt"
    assert load_corpus_file(tmp_path / "garden.py").groups == {}
    beside.write_text(write_groups(declared.values()), encoding="utf-8")
    assert load_corpus_file(tmp_path / "garden.py").groups == declared
    beside.write_text("group x\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"garden\.groups\.txt:1: expected `\(` and the inputs, not the end"):
        load_corpus_file(tmp_path / "garden.py")
    beside.write_bytes(b"group caf\xe9\n")
    with pytest.raises(UserError, match=r"garden\.groups\.txt cannot be read: .* save it as UTF-8"):
        load_corpus_file(tmp_path / "garden.py")


def test_a_group_of_unknown_tools_is_refused(tmp_path: Path) -> None:
    (tmp_path / "garden.py").write_text(GARDEN.read_text())
    (tmp_path / "garden.groups.txt").write_text(SOUND)
    with pytest.raises(
        UserError, match="group converted names tools that are not in the corpus: convert, rate_of, mult"
    ):
        load_corpus_file(tmp_path / "garden.py")
