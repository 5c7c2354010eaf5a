"""The package's own questions and databases: sound, answerable by what they say, and answerable in two ways."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from sealegs.scoring.row_matching import ReferenceRows, judge_rows
from sealegs.suites.highwater.own import OWN
from sealegs.tasks.editions import CANARY_FIELD
from sealegs.tasks.similarity import jaccard


@dataclass(frozen=True)
class Pair:
    """A question and its query, with Spider's names."""

    db_id: str
    question: str
    query: str


SCRIPTS = sorted((OWN / "databases").glob("*.sql"))
GIVEN = json.loads((OWN / "pairs.json").read_text(encoding="utf-8"))
PAIRS = [Pair(**{name: text for name, text in pair.items() if name != CANARY_FIELD}) for pair in GIVEN]
SETS = (exp.Union, exp.Except, exp.Intersect)
CONSTANTS = {"1"}  # of LIMIT: a question that asks for the one thing that is most does not say the number

Rows = list[tuple[Any, ...]]


@cache
def database(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript((OWN / "databases" / f"{name}.sql").read_text(encoding="utf-8"))
    return connection


def run(pair: Pair, sql: str | None = None, values: list[Any] | None = None) -> tuple[list[str], Rows]:
    cursor = database(pair.db_id).execute(sql or pair.query, values or [])
    return [column[0] for column in cursor.description], cursor.fetchall()


@cache
def tree(pair: Pair) -> exp.Expression:
    return sqlglot.parse_one(pair.query, read="sqlite")


def sites(query: exp.Expression) -> list[exp.Expression]:
    """The places of subqueries: brackets, and the second halves of set operations."""
    brackets: list[exp.Expression] = list(query.find_all(exp.Subquery))
    return brackets + [node.expression for node in query.find_all(*SETS)]


def inner(site: exp.Expression) -> exp.Expression:
    """The query in a place."""
    return site.this if isinstance(site, exp.Subquery) else site


def nested(pair: Pair) -> list[exp.Expression]:
    """The places of a pair's subqueries."""
    return sites(tree(pair))


SUBQUERY_PAIRS = [pair for pair in PAIRS if nested(pair)]
PLAIN_PAIRS = [pair for pair in PAIRS if not nested(pair)]


def name_of(pair: Pair) -> str:
    return f"{pair.db_id}-{PAIRS.index(pair)}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_database_is_sound(script: Path) -> None:
    connection = database(script.stem)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert 3 <= len(tables) <= 6
    for table in tables:
        assert 15 <= connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] <= 80
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        assert any(column[5] for column in columns), f"{table} has no key"
        for name, declared in ((column[1], column[2]) for column in columns):
            kinds = {kind for (kind,) in connection.execute(f"SELECT DISTINCT typeof({name}) FROM {table}")}
            held = {"INTEGER": {"integer"}, "REAL": {"real"}, "TEXT": {"text"}, "DATE": {"text"}}[declared]
            assert kinds <= held | {"null"}, (table, name, kinds)
    links = [connection.execute(f"PRAGMA foreign_key_list({table})").fetchall() for table in tables]
    assert sum(map(len, links)) >= len(tables) - 2


def test_there_is_enough_of_everything() -> None:
    assert len(SCRIPTS) >= 14
    assert {pair.db_id for pair in PAIRS} == {script.stem for script in SCRIPTS}
    assert len(SUBQUERY_PAIRS) >= 150
    assert len(PLAIN_PAIRS) >= 150
    assert min(Counter(pair.db_id for pair in SUBQUERY_PAIRS).values()) >= 10
    assert len({pair.query for pair in PAIRS}) == len({pair.question for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_a_question_has_a_whole_answer(pair: Pair) -> None:
    _, rows = run(pair)
    assert 0 < len(rows) <= 100
    assert all(cell is not None for row in rows for cell in row)
    assert rows != [(0,)], "nothing was counted"
    assert len(set(rows)) == len(rows), "the same row twice: how often would an answer say it?"


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_every_value_stands_in_the_question(pair: Pair) -> None:
    for literal in tree(pair).find_all(exp.Literal):
        stated = re.search(rf"(?<![\w.-]){re.escape(literal.name)}(?![\w-]|\.\d)", pair.question)
        assert stated or (literal.find_ancestor(exp.Limit) and literal.name in CONSTANTS), literal.name


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_an_order_has_no_ties(pair: Pair) -> None:
    for select in tree(pair).find_all(exp.Select):
        order, limit = select.args.get("order"), select.args.get("limit")
        if limit:
            assert order, "LIMIT without ORDER BY"
        if not order:
            continue
        ranked = select.copy()
        ranked.set("expressions", [key.this.copy() for key in order.expressions])
        ranked.set("distinct", None)
        ranked.set("limit", None)
        keys = run(pair, ranked.sql("sqlite"))[1]
        most = int(limit.expression.name) if limit else len(keys)
        top = keys[: most + 1]
        assert len(keys) > 1
        assert len(set(top)) == len(top), top


def put_in(pair: Pair, place: int) -> Rows:
    """The rows of a query in which one subquery was replaced by its values, given from outside."""
    whole = tree(pair).copy()
    site = sites(whole)[place]
    query = inner(site)
    names, rows = run(pair, query.sql("sqlite"))
    if isinstance(site, exp.Subquery) and not isinstance(site.parent, (exp.From, exp.Join, exp.In)):
        assert len(rows) == 1, "a single value is wanted"
    marks = ", ".join("(" + ", ".join("?" for _ in names) + ")" for _ in rows)
    cells = ", ".join(f'column{n + 1} AS "{name}"' for n, name in enumerate(names))
    empty = ", ".join(f'NULL AS "{name}"' for name in names)
    values = f"SELECT {cells} FROM (VALUES {marks})" if rows else f"SELECT {empty} WHERE 0"
    query.replace(exp.Column(this=exp.to_identifier("put_in_here")))
    return run(pair, whole.sql("sqlite").replace("put_in_here", values), [cell for row in rows for cell in row])[1]


@pytest.mark.parametrize("pair", SUBQUERY_PAIRS, ids=name_of)
def test_a_subquery_can_be_answered_first(pair: Pair) -> None:
    direct = run(pair)[1]
    for place in range(len(nested(pair))):
        composed = put_in(pair, place)
        assert composed == direct if tree(pair).args.get("order") else sorted(composed) == sorted(direct)


def test_a_wrong_value_would_be_seen() -> None:
    """The check above can fail: most answers change when a subquery's values are others."""
    changed = 0
    for pair in SUBQUERY_PAIRS:
        query = inner(nested(pair)[0])
        nothing = f"SELECT * FROM ({query.sql('sqlite')}) WHERE 0"
        changed += run(pair, pair.query.replace(query.sql("sqlite"), nothing, 1))[1] != run(pair)[1]
    assert changed >= 0.9 * len(SUBQUERY_PAIRS), changed


def shapes(pair: Pair) -> Iterator[str]:
    """What a query with a subquery is like."""
    for site in nested(pair):
        parent = site.parent
        if isinstance(parent, SETS):
            yield "set operation"
        elif isinstance(parent, exp.In):
            yield "NOT IN" if isinstance(parent.parent, exp.Not) else "IN"
        elif isinstance(parent, exp.From):
            yield "FROM"
        elif site.find_ancestor(exp.Having):
            yield "HAVING"
        else:
            yield "=" if isinstance(parent, exp.EQ) else "< >"
        if site.find_ancestor(exp.Subquery):
            yield "two deep"


def test_the_shapes_are_balanced() -> None:
    found = Counter(shape for pair in SUBQUERY_PAIRS for shape in set(shapes(pair)))
    assert set(found) == {"IN", "NOT IN", "=", "< >", "FROM", "HAVING", "set operation", "two deep"}
    assert all(12 <= count <= 0.45 * len(SUBQUERY_PAIRS) for count in found.values()), found


def test_no_two_questions_of_a_database_are_nearly_the_same() -> None:
    words = {pair: frozenset(re.findall(r"\w+", pair.question.casefold())) for pair in PAIRS}
    for one, other in combinations(PAIRS, 2):
        if one.db_id == other.db_id:
            assert jaccard(words[one], words[other]) < 0.75, (one.question, other.question)


def test_the_judge_tells_the_answers_of_a_database_apart() -> None:
    """Each answer is right for its own question, and for no question whose rows are others."""
    for pair in PAIRS:
        names, rows = run(pair)
        reference = ReferenceRows(tuple(names), tuple(rows), ordered=bool(tree(pair).args.get("order")))
        assert judge_rows(json.dumps(rows), reference, pair.question).right
        for other in PAIRS:
            if other.db_id == pair.db_id and sorted(run(other)[1], key=repr) != sorted(rows, key=repr):
                assert not judge_rows(json.dumps(run(other)[1]), reference, pair.question).right, other.question
