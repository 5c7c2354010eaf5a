"""Queries as functions: what is taken out of them, and that nothing of their meaning goes with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from sealegs.faults.call import Failure
from sealegs.world.sql.binding import bind_arguments
from sealegs.world.sql.database import Database, QueryFailed, same_rows
from sealegs.world.sql.database import QueryResult as Answer
from sealegs.world.sql.parametrised_queries import Parametrised, parametrise
from sealegs.world.sql.parsing import UnsupportedQuery, parse, strict_sql_of
from sealegs.world.sql.schema import Schema
from sealegs.world.sql.solving import EarlierRows, Way, ways
from sealegs.world.sql.way_runs import parameter
from tests.world.sql.golden import golden_text
from tests.world.sql.queries import queries
from tests.world.sql.toy import open_toy

Toy = tuple[Database, Schema]
GOLDEN = (Path(__file__).parent / "golden.txt").read_text(encoding="utf-8").strip().split("\n\n")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    database, schema = open_toy(tmp_path_factory.mktemp("toy"))
    yield database, schema
    database.close()


def answered(toy: Toy, way: Way) -> Answer:
    """What a way's calls give, each with its arguments checked as any caller's."""
    found: list[Answer] = []
    for use in way:
        values = {n: found[v.of].as_lists() if isinstance(v, EarlierRows) else v for n, v in use.arguments.items()}
        ready = bind_arguments([parameter(slot) for slot in use.function.slots], values)
        assert not isinstance(ready, Failure), (use.function.sql, ready)
        found.append(toy[0].run(use.function.sql, ready))
    return found[-1]


def known_ways(toy: Toy, query: str) -> list[Way]:
    database, schema = toy

    def columns(found: Parametrised) -> tuple[str, ...] | None:
        try:
            return database.columns(strict_sql_of(found.tree), {slot.name: None for slot in found.slots})
        except QueryFailed:
            return None

    return ways(parse(query, schema), schema, columns)


def test_there_are_enough_golden_cases() -> None:
    assert len(GOLDEN) >= 45


@pytest.mark.parametrize("block", GOLDEN, ids=lambda block: block.splitlines()[0])
def test_golden(toy: Toy, block: str) -> None:
    query = block.splitlines()[0]
    assert golden_text(query, toy[1]) == block
    ordered = " ORDER BY " in query
    assert same_rows(answered(toy, known_ways(toy, query)[0]).rows, toy[0].run(query).rows, ordered)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(query=queries())
def test_every_way_gives_the_rows_of_the_query(toy: Toy, query: str) -> None:
    expected = toy[0].run(query).rows
    for way in known_ways(toy, query):
        found = answered(toy, way).rows
        assert same_rows(found, expected, " ORDER BY " in query), [use.function.sql for use in way]


@pytest.mark.parametrize(
    ("query", "calls"),
    [
        ("SELECT name FROM student", [1]),
        ("SELECT name FROM student WHERE age > (SELECT avg(age) FROM student)", [1, 2]),
        ("SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE grade = 'A')", [1, 2]),
        ("SELECT count(*) FROM (SELECT city, count(*) FROM student GROUP BY city)", [1, 2]),
        ("SELECT * FROM (SELECT * FROM student WHERE age > 21 ORDER BY id) AS s WHERE s.city = 'Paris'", [1, 2]),
        ("SELECT city FROM (SELECT a.city, b.city FROM student a JOIN student b USING (id))", [1, 2]),
        ("SELECT max(n) FROM (SELECT city, count(*) AS n FROM student GROUP BY city)", [1, 2]),
        ("SELECT name FROM student WHERE EXISTS (SELECT 1 FROM takes WHERE year > 2020)", [1, 2]),
        ("SELECT name FROM student WHERE EXISTS (SELECT 1 FROM takes WHERE student_id = student.id)", [1]),
        ("SELECT name FROM student AS s WHERE age = (SELECT max(age) FROM student WHERE city = s.city)", [1]),
        ("SELECT name FROM student WHERE (id, age) IN (SELECT student_id, 20 FROM takes)", [1, 2]),
        (
            "SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE course_id IN "
            "(SELECT id FROM course WHERE credits = 5))",
            [1, 2, 2, 3],
        ),
        (
            "SELECT name FROM student WHERE age > (SELECT min(age) FROM student) "
            "AND gpa < (SELECT max(gpa) FROM student)",
            [1, 2, 2, 3],
        ),
        (
            "SELECT name FROM student WHERE age > (SELECT min(age) FROM student) "
            "AND id > (SELECT min(age) FROM student)",
            [1, 2, 2, 2],
        ),
        ("SELECT name FROM student WHERE id IN (SELECT student_id FROM takes) UNION SELECT title FROM course", [1, 2]),
    ],
)
def test_the_ways_of_a_query(toy: Toy, query: str, calls: list[int]) -> None:
    found = known_ways(toy, query)
    assert [len(way) for way in found] == calls
    assert len({(*(use.function.sql for use in way), str(way[-1].arguments)) for way in found}) == len(found)
    expected = toy[0].run(query).rows
    assert all(same_rows(answered(toy, way).rows, expected, False) for way in found)


def test_a_scratchpad_is_compared_as_the_subquery_was(toy: Toy) -> None:
    """Numbers against texts, on which side the affinity lies: SQLite's rules, with and without the subquery."""
    for query in (
        "SELECT name FROM student WHERE id IN (SELECT code FROM badge)",
        "SELECT owner FROM badge WHERE code > (SELECT avg(id) FROM student)",
        "SELECT owner FROM badge WHERE level IN (SELECT code FROM badge)",
    ):
        direct, composed = known_ways(toy, query)
        assert same_rows(answered(toy, composed).rows, answered(toy, direct).rows, False), query


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELEC name FROM student", "parse error"),
        ("SELECT name FROM student WHERE (", "parse error"),
        ("DROP TABLE student", "not one query"),
        ("SELECT 1; SELECT 2", "not one query"),
        ("SELECT name FROM student WHERE age > ?", "placeholders"),
        ("SELECT name FROM student WHERE born < date('now')", "depends on the time"),
        ("SELECT name FROM student WHERE born < CURRENT_DATE", "depends on the time"),
        ("", "not one query"),
    ],
)
def test_what_is_no_query(toy: Toy, query: str, reason: str) -> None:
    with pytest.raises(UnsupportedQuery, match=reason):
        parse(query, toy[1])


def test_the_same_query_in_other_letters_is_the_same_function(toy: Toy) -> None:
    texts = (
        "SELECT T1.Name FROM Student AS T1 WHERE T1.Age > 20",
        "select  t1.name from STUDENT as t1 where t1.age>99 ;",
        "SELECT t1.name /* names */ FROM student t1 WHERE t1.age > 7 -- years",
    )
    assert len({parametrise(parse(text, toy[1]), toy[1]).sql for text in texts}) == 1


def test_a_name_of_the_outer_query_is_never_a_text_inside(toy: Toy) -> None:
    sql = 'SELECT id FROM student WHERE EXISTS (SELECT id FROM course WHERE "Odd Name" NOT BETWEEN "Ann" AND "city")'

    def columns(found: Parametrised) -> tuple[str, ...] | None:
        try:
            return toy[0].columns(strict_sql_of(found.tree), {slot.name: None for slot in found.slots})
        except QueryFailed:
            return None

    assert [len(way) for way in ways(parse(sql, toy[1]), toy[1], columns)] == [1]
