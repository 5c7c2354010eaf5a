"""Matchers obey the laws of logic."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sealegs.faults.http_arguments import HttpArguments
from sealegs.faults.triggers import AllOf, AnyMatcher, AnyOf, Argument, Header, Matcher, Method, Not, Tag, Tool
from sealegs.traces.json_data import to_json_object

NAMES = ["search_web", "search_map", "book", "pay"]
TAGS = ["travel", "action"]
READ: TypeAdapter[Matcher] = TypeAdapter(AnyMatcher)

PLAIN = st.dictionaries(st.sampled_from(["city", "count"]), st.sampled_from(["Paris", "Oslo", 1, 5, True, None]))
HEADERS = st.lists(st.tuples(st.sampled_from(["X-A", "x-a", "X-B"]), st.sampled_from(["one", "two"])), max_size=3)
ARGUMENTS: st.SearchStrategy[Mapping[str, Any]] = st.one_of(
    PLAIN, st.builds(HttpArguments, PLAIN, st.sampled_from(["GET", "POST"]), HEADERS)
)
SITUATIONS = st.tuples(st.sampled_from(NAMES), st.frozensets(st.sampled_from(TAGS)), ARGUMENTS)
SIMPLE: st.SearchStrategy[Matcher] = st.one_of(
    st.sampled_from([*NAMES, "*", "search_*", "?ay", "[bp]*"]).map(Tool),
    st.sampled_from(TAGS).map(Tag),
    st.sampled_from(["Paris", 1, None]).map(lambda value: Argument(name="city", equals=value)),
    st.integers(0, 6).map(lambda value: Argument(name="count", above=value)),
    st.booleans().map(lambda value: Argument(name="count", present=value)),
    st.sampled_from(["GET", "POST"]).map(Method),
    st.sampled_from(["one", "two"]).map(lambda value: Header(name="X-a", equals=value)),
    st.booleans().map(lambda value: Header(name="x-b", present=value)),
)
MATCHERS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: two[0] & two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] | two[1]),
        inner.map(lambda one: ~one),
    ),
    max_leaves=6,
)
Situation = tuple[str, frozenset[str], Mapping[str, Any]]


@given(MATCHERS, MATCHERS, SITUATIONS)
def test_operators_are_and_or_not(a: Matcher, b: Matcher, situation: Situation) -> None:
    assert (a & b).matches(*situation) == (a.matches(*situation) and b.matches(*situation))
    assert (a | b).matches(*situation) == (a.matches(*situation) or b.matches(*situation))
    assert (~a).matches(*situation) == (not a.matches(*situation))


@given(MATCHERS, MATCHERS, MATCHERS, SITUATIONS)
def test_laws(a: Matcher, b: Matcher, c: Matcher, situation: Situation) -> None:
    def same(left: Matcher, right: Matcher) -> bool:
        return left.matches(*situation) == right.matches(*situation)

    assert same(a & b, b & a)
    assert same(a | b, b | a)
    assert same((a & b) & c, a & (b & c))
    assert same(a & (b | c), (a & b) | (a & c))
    assert same(~(a & b), ~a | ~b)
    assert same(~(a | b), ~a & ~b)
    assert ~~a == a


@given(MATCHERS, SITUATIONS)
def test_may_match_never_skips_a_match(matcher: Matcher, situation: Situation) -> None:
    tool, tags, _ = situation
    true, false = matcher.possible(tool, tags)
    assert true or false
    assert matcher.matches(*situation) <= true
    assert (not matcher.matches(*situation)) <= false
    assert matcher.may_match(tool, tags) == true


PATTERN_SIGNS = st.text(st.sampled_from(["a", "b", "B", "*", "?", "[", "]", "!", "-", "\n"]), min_size=1, max_size=5)


@given(PATTERN_SIGNS, PATTERN_SIGNS)
def test_a_tool_is_matched_as_the_library_matches_names(pattern: str, tool: str) -> None:
    for name in (tool, pattern):  # a pattern with signs in it need not match itself
        fits = fnmatchcase(name, pattern)
        assert Tool(pattern).may_match(name, frozenset()) == fits
        assert Tool(pattern).matches(name, frozenset(), {}) == fits


@given(MATCHERS)
def test_data_reads_back(matcher: Matcher) -> None:
    data = READ.dump_python(matcher, mode="json", by_alias=True)
    assert len(data) == 1
    assert READ.validate_python(data) == matcher


def test_tools_are_skipped_at_once_where_arguments_cannot_matter() -> None:
    rule = Tool("search_*") & Argument(name="city", equals="Paris")
    assert rule.may_match("search_web", frozenset())
    assert not rule.may_match("book", frozenset())
    assert (~Argument(name="city", equals="Paris")).may_match("book", frozenset())
    assert not (~Tool("book")).may_match("book", frozenset())
    assert not (Tag("travel") & ~Tag("action")).may_match("book", frozenset({"travel", "action"}))


def test_chains_stay_flat() -> None:
    a, b, c = Tool("a"), Tool("b"), Tool("c")
    assert a & b & c == AllOf((a, b, c))
    assert a | b | c == AnyOf((a, b, c))
    assert ~(a & b) == Not(AllOf((a, b)))


@pytest.mark.parametrize(
    ("glob", "name", "fits"),
    [
        ("search_*", "search_web", True),
        ("search_*", "research_web", False),
        ("*", "any/tool", True),
        ("get_?", "get_a", True),
        ("get_?", "get_ab", False),
        ("[ab]*", "book", True),
        ("Book", "book", False),
        ("book", "book", True),
    ],
)
def test_names_and_globs(glob: str, name: str, fits: bool) -> None:
    assert Tool(glob).matches(name, frozenset(), {}) is fits


@pytest.mark.parametrize(
    ("predicate", "value", "fits"),
    [
        ({"equals": "Paris"}, "Paris", True),
        ({"equals": "Paris"}, "paris", False),
        ({"equals": 1}, 1.0, True),
        ({"equals": 1}, True, False),
        ({"equals": None}, None, True),
        ({"equals": None}, 0, False),
        ({"equals": {"a": [1, 2]}}, {"a": [1.0, 2]}, True),
        ({"equals": {"a": 1}}, {"a": 1, "b": 2}, False),
        ({"equals": [1]}, [1, 2], False),
        ({"contains": "ari"}, "Paris", True),
        ({"contains": "xyz"}, "Paris", False),
        ({"contains": 2}, [1, 2], True),
        ({"contains": True}, [1, 2], False),
        ({"contains": "a"}, {"a": 1}, True),
        ({"contains": 5}, {"a": 1}, False),
        ({"contains": "1"}, 1, False),
        ({"matches": "^P.*s$"}, "Paris", True),
        ({"matches": "^a"}, "Paris", False),
        ({"matches": "1"}, 1, False),
        ({"above": 3}, 4, True),
        ({"above": 3}, 3, False),
        ({"above": 0}, True, False),
        ({"below": 3}, 2.5, True),
        ({"below": 3}, "2", False),
        ({"above": 1, "below": 3}, 2, True),
        ({"above": 1, "below": 3}, 5, False),
        ({"present": True}, None, True),
        ({"present": False}, None, False),
    ],
)
def test_predicates(predicate: dict[str, Any], value: Any, fits: bool) -> None:
    matcher = READ.validate_python({"argument": {"name": "x", **predicate}})
    assert matcher.matches("t", frozenset(), {"x": value}) is fits


def test_an_absent_argument_fulfils_only_absence() -> None:
    assert Argument(name="x", present=False).matches("t", frozenset(), {})
    for predicate in ({"equals": None}, {"present": True}, {"above": 0}, {"contains": ""}, {"matches": ""}):
        assert not READ.validate_python({"argument": {"name": "x", **predicate}}).matches("t", frozenset(), {})


def test_a_path_reaches_into_arguments() -> None:
    matcher = Argument(name="passengers.age", below=2)
    assert matcher.matches("t", frozenset(), {"passengers": [{"age": 30}, {"age": 1}]})
    assert not matcher.matches("t", frozenset(), {"passengers": [{"age": 30}]})


@pytest.mark.parametrize(
    ("predicate", "problem"),
    [
        ({}, "states no predicate"),
        ({"matches": "("}, "is not a regular expression"),
        ({"present": False, "equals": 1}, "absent argument with a value"),
    ],
)
def test_senseless_predicates_are_refused(predicate: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        READ.validate_python({"argument": {"name": "x", **predicate}})


SENT = HttpArguments({"path": "/a"}, "POST", [("X-Key", "abc"), ("Accept", "one"), ("accept", "two")])
ON_REQUESTS: list[tuple[dict[str, Any], bool]] = [
    ({"method": "POST"}, True),
    ({"method": "GET"}, False),
    ({"header": {"name": "x-key", "equals": "abc"}}, True),
    ({"header": {"name": "X-KEY", "equals": "ABC"}}, False),
    ({"header": {"name": "accept", "equals": "two"}}, True),
    ({"header": {"name": "accept", "contains": "wo", "matches": "^o"}}, False),
    ({"header": {"name": "x-key", "present": True}}, True),
    ({"header": {"name": "x-other", "present": True}}, False),
    ({"header": {"name": "x-other", "present": False}}, True),
]


@pytest.mark.parametrize(("data", "true"), ON_REQUESTS)
def test_a_statement_about_a_request(data: dict[str, Any], true: bool) -> None:
    matcher = READ.validate_python(data)
    assert matcher.matches("POST host/a", frozenset(), SENT) == true
    assert not matcher.matches("pay", frozenset(), {"path": "/a"})  # no request, so nothing is true of its headers
    assert READ.dump_python(matcher, mode="json") == data


def test_headers_are_no_arguments() -> None:
    assert SENT == {"path": "/a"}
    assert "abc" not in repr(SENT)
    assert "abc" not in str(to_json_object(SENT))


@pytest.mark.parametrize(
    "data",
    [
        {"method": "post"},
        {"method": ""},
        {"header": {"name": "x"}},
        {"header": {"name": "x", "matches": "("}},
        {"header": {"name": "x", "present": False, "equals": "1"}},
        {"header": {"name": "x", "above": 1}},
        {"header": {"equals": "1"}},
    ],
)
def test_a_statement_about_no_request_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        READ.validate_python(data)
