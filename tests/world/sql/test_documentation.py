"""What agents are told of functions: by rule, and in a model's words where they pass the checks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.world.sql.build import compile_library
from sealegs.world.sql.documentation import (
    ATTEMPTS,
    DocumentedFunction,
    RejectedText,
    document_by_model,
    document_by_rule,
    documentation_prompt,
    read_documentation,
)
from sealegs.world.sql.drafts import FunctionDraft
from sealegs.world.sql.function_library import Library
from sealegs.world.sql.parameter import Parameter
from sealegs.world.sql.parametrised_queries import parametrise
from sealegs.world.sql.parsing import parse
from sealegs.world.sql.query_wording import Wording
from sealegs.world.sql.schema import Schema, in_words
from tests.world.sql.toy import open_toy, write_toy

WORDS = {
    "SELECT count(*) FROM student": "The number of student rows from student.",
    "SELECT DISTINCT city FROM student WHERE age > 3": "The different values of city from student where the age is"
    " greater than `arg_0`.",
    "SELECT name, max(age) FROM student WHERE city = 'Oslo' OR NOT city LIKE 'B%' GROUP BY city": "The name and the"
    " maximum age from student where either the city is `arg_0` or the city does not start with `arg_1` for each city.",
    "SELECT name FROM student WHERE NOT (age > 3 AND gpa <= 2)": "The name from student where either the age is not"
    " greater than `arg_0` or the gpa is greater than `arg_1`.",
    "SELECT T1.name FROM student T1 JOIN takes T2 ON T1.id = T2.student_id ORDER BY T2.year DESC LIMIT 1": "The name of"
    " the student from student joined with takes by the student id, sorted by the year of the takes from highest to"
    " lowest, only the first one.",
    "SELECT city, count(*) FROM student GROUP BY 1 HAVING count(DISTINCT age) >= 2 ORDER BY 2 LIMIT 3": "The city and"
    " the number of student rows from student for each city keeping those where the number of different age is at least"
    " `arg_0`, sorted by the number of student rows from lowest to highest, only the first 3.",
    "SELECT count(*) FROM takes a JOIN takes b ON a.year = b.year": "The number of rows from takes joined with takes.",
    "SELECT name FROM student EXCEPT SELECT owner FROM badge": "The name from student; but not: the owner from badge.",
    "SELECT name FROM student INTERSECT SELECT owner FROM badge": "The name from student; and which also are among: the"
    " owner from badge.",
    "SELECT name FROM student WHERE age BETWEEN 1 AND 2 AND born IS NOT NULL": "The name from student where the age is"
    " between `arg_0` and `arg_1` and the born is known.",
    "SELECT name FROM student WHERE city IS NULL OR 20 <= age": "The name from student where either the city is missing"
    " or the age is at least `arg_0`.",
    "SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM takes)": "The name from student where the id is"
    " not one of (the student id from takes).",
    "SELECT title FROM course WHERE title NOT LIKE '%a%' AND food LIKE 'x_'": "The title from course where the title"
    " does not contain `arg_0` and the food is like the pattern `arg_1`.",
    "SELECT * FROM course ORDER BY \"Odd Name\"": "Every column from course, sorted by the odd name from lowest to"
    " highest.",
    "SELECT avg(gpa) - min(gpa) FROM student": "The average gpa minus the minimum gpa from student.",
}  # fmt: skip


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Schema]:
    database, found = open_toy(tmp_path_factory.mktemp("toy"))
    yield found
    database.close()


@pytest.mark.parametrize("query", WORDS)
def test_a_query_in_words(schema: Schema, query: str) -> None:
    assert Wording(schema).sentence(parametrise(parse(query, schema), schema).tree) == WORDS[query]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("StudentID", "student id"),
        ("student_id", "student id"),
        ("IATACode", "iata code"),
        ("a-b c", "a b c"),
        ("", ""),
    ],
)
def test_names_in_words(name: str, words: str) -> None:
    assert in_words(name) == words


PARAMETERS = (Parameter("arg_0", "value", ("string",), "a text, as in the city of the student"),)
DRAFT = FunctionDraft(
    "toy",
    "SELECT name FROM student WHERE city = :arg_0",
    "whole",
    PARAMETERS,
    "The name from student.",
    ("name",),
    frozenset({"Oslo", "student", "A"}),
)
GOOD = {"description": "Students who live in a city. A good one.", "parameters": {"arg_0": "the city"}}


def rule() -> DocumentedFunction:
    return document_by_rule([DRAFT])[0]


def test_the_prompt_tells_the_sql_and_no_literal() -> None:
    asked = documentation_prompt(rule())
    assert DRAFT.sql in asked
    assert "arg_0: a text, as in the city of the student" in asked
    assert "Oslo" not in asked


def test_a_good_text_is_taken() -> None:
    for text in (json.dumps(GOOD), f"Here it is:\n```json\n{json.dumps(GOOD)}\n```"):
        found = read_documentation(text, rule())
        assert (found.by, found.description) == ("model", GOOD["description"])
        assert found.parameters == {"arg_0": "the city"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"description": ""}, "description is missing"),
        ({"description": 5}, "description is missing"),
        ({"parameters": {}}, "the parameters are"),
        ({"parameters": {"arg_0": "a", "arg_1": "b"}}, "the parameters are"),
        ({"parameters": {"city": "a"}}, "the parameters are"),
        ({"parameters": {"arg_0": " "}}, "a parameter's description is missing"),
        ({"parameters": []}, "is no object"),
        ({"description": "Those in OSLO."}, "tells a value: 'Oslo'"),
        ({"parameters": {"arg_0": "such as Oslo"}}, "tells a value: 'Oslo'"),
    ],
)
def test_a_bad_text_is_not(change: dict[str, object], problem: str) -> None:
    with pytest.raises(RejectedText, match=problem):
        read_documentation(json.dumps({**GOOD, **change}), rule())


def test_three_attempts_then_the_rule() -> None:
    asked: list[str] = []

    def never(text: str) -> str:
        asked.append(text)
        if len(asked) == 2:
            raise ConnectionError("down")
        return "no"

    (found,) = document_by_model([DRAFT], never)
    assert (found.by, found.description, len(asked)) == ("rule after model", rule().description, ATTEMPTS)
    assert "it is no JSON object" in asked[1]
    assert "there was no answer" in asked[2]


def test_the_second_attempt_may_be_taken() -> None:
    texts = iter(["no", json.dumps(GOOD)])
    (found,) = document_by_model([DRAFT], lambda asked: next(texts))
    assert found.by == "model"


def test_a_library_in_a_models_words(tmp_path: Path) -> None:
    """A model that leaks half of the time: its words are in the library, or the rule's, and both are counted."""
    write_toy(tmp_path)
    queries = ["SELECT name FROM student WHERE city = 'Oslo'", "SELECT age FROM student WHERE name = 'Eve'"]
    pairs = [{"question": f"{query}?", "query": query, "db_id": "toy"} for query in queries]
    (tmp_path / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")

    def write(asked: str) -> str:
        told = "People of a place." if "city" in asked else "Such as Eve."
        return json.dumps({"description": told, "parameters": {"arg_0": "what to look for"}})

    found = compile_library(tmp_path, tmp_path / "out", write=write)
    assert found.documentation == {"model": 1, "rule after model": 1}
    functions = Library.open(tmp_path / "out").functions.values()
    assert {function.description for function in functions} == {
        "People of a place.",
        "The age from student where the name is `arg_0`. Data: toy.",
    }
