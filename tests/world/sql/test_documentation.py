"""What agents read of functions: by rule, and in a model's words where they pass the checks."""

import json
from collections.abc import Iterator
from dataclasses import replace
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
    "SELECT count(*) FROM student": "The overall number of students.",
    "SELECT name, age FROM student": "The name and the age of every student.",
    "SELECT DISTINCT city FROM student WHERE age > 3": "The different values of city of students whose age is greater"
    " than `arg_0`.",
    "SELECT name, max(age) FROM student WHERE city = 'Oslo' OR NOT city LIKE 'B%' GROUP BY city": "The name and the"
    " maximum age over students where either the city is `arg_0` or the city does not start with `arg_1` for each"
    " city.",
    "SELECT name FROM student WHERE NOT (age > 3 AND gpa <= 2)": "The name of students where either the age is not"
    " greater than `arg_0` or the gpa is greater than `arg_1`.",
    "SELECT name FROM student WHERE age > 3 AND city = 'Oslo'": "The name of students whose age is greater than `arg_0`"
    " and city is `arg_1`.",
    "SELECT T1.name FROM student T1 JOIN takes T2 ON T1.id = T2.student_id ORDER BY T2.year DESC LIMIT 1": "The name of"
    " students with takes by the student id, only the one with the highest year of the takes.",
    "SELECT T2.year FROM student T1 JOIN takes T2 ON T1.id = T2.student_id WHERE T1.name = 'Bo'": "The year of takes"
    " with students by the student id where the name of the student is `arg_0`.",
    "SELECT T1.name, T2.year FROM student T1 JOIN takes T2 ON T1.id = T2.student_id": "The name of the student and the"
    " year of the takes out of students with takes by the student id.",
    "SELECT city, count(*) FROM student GROUP BY 1 HAVING count(DISTINCT age) >= 2 ORDER BY 2 LIMIT 3": "The city and"
    " the number of students for each city with the condition that the number of different age is at least `arg_0`,"
    " only the 3 with the lowest number of students.",
    "SELECT city FROM student GROUP BY city HAVING count(*) > 2": "The city of students for each city with the"
    " condition that the number of such students is greater than `arg_0`.",
    "SELECT count(*) FROM takes a JOIN takes b ON a.year = b.year": "The number of takes with takes.",
    "SELECT name FROM student EXCEPT SELECT owner FROM badge": "What is found among students as name but not among"
    " badges as owner.",
    "SELECT name FROM student WHERE age = 1 INTERSECT SELECT name FROM student WHERE age = 2": "The name found both"
    " among students whose age is `arg_0` and among students whose age is `arg_1`.",
    "SELECT name FROM student WHERE age BETWEEN 1 AND 2 AND born IS NOT NULL": "The name of students whose age is"
    " between `arg_0` and `arg_1` and born is known.",
    "SELECT name FROM student WHERE city IS NULL OR 20 <= age": "The name of students where either the city is missing"
    " or the age is at least `arg_0`.",
    "SELECT title FROM course WHERE title NOT LIKE '%a%' AND food LIKE 'x_'": "The title of courses whose title"
    " does not contain `arg_0` and food is like the pattern `arg_1`.",
    "SELECT name FROM student WHERE 'abc' LIKE name": "The name of students where `arg_0` is like the name.",
    "SELECT name FROM student WHERE 'a*' GLOB name": "The name of students where `arg_0` matches the glob pattern the"
    " name.",
    "SELECT name FROM student WHERE name LIKE city || food AND name NOT LIKE city || '%'": "The name of students whose"
    " name is like the city followed by the food and name does not start with the city.",
    "SELECT * FROM course ORDER BY \"Odd Name\"": "Every column of courses, sorted by odd name from lowest to"
    " highest.",
    "SELECT avg(gpa) - min(gpa) FROM student": "The average gpa minus the minimum gpa over students.",
    "SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM takes)": "The name of students whose id is"
    " not among takes as student id.",
    "SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE year > 3)": "The name of students whose"
    " id occurs among takes whose year is greater than `arg_0` as student id.",
    "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student WHERE city = 'Oslo')": "The name of students"
    " whose age is greater than the average among students whose city is `arg_0` in age.",
    "SELECT name FROM student WHERE age = (SELECT max(age) FROM student)": "The name of students whose age is the"
    " highest among students in age.",
    "SELECT name FROM student WHERE age < (SELECT count(*) FROM course)": "The name of students whose age is less than"
    " as many as there are courses.",
    "SELECT name FROM student WHERE age > (SELECT age FROM student WHERE name = 'Bo')": "The name of students whose age"
    " is greater than that found with students whose name is `arg_0` as age.",
    "SELECT name FROM student WHERE name IN (SELECT owner FROM badge EXCEPT SELECT name FROM student)": "The name of"
    " students whose name occurs among badges as owner but not among students as name.",
    "SELECT count(*) FROM (SELECT city FROM student GROUP BY city)": "The number of rows found among students for each"
    " city as city.",
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
    prompt = documentation_prompt(rule())
    assert DRAFT.sql in prompt
    assert "arg_0: a text, as in the city of the student" in prompt
    assert "Oslo" not in prompt


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
        ({"parameters": []}, "is not an object"),
        ({"description": "Those in OSLO."}, "tells a value: 'Oslo'"),
        ({"parameters": {"arg_0": "such as Oslo"}}, "tells a value: 'Oslo'"),
    ],
)
def test_a_bad_text_is_not(change: dict[str, object], problem: str) -> None:
    with pytest.raises(RejectedText, match=problem):
        read_documentation(json.dumps({**GOOD, **change}), rule())


def test_three_attempts_then_the_rule() -> None:
    prompts: list[str] = []

    def never(text: str) -> str:
        prompts.append(text)
        if len(prompts) == 2:
            raise ConnectionError("down")
        return "no"

    (found,) = document_by_model([DRAFT], never)
    assert (found.by, found.description, len(prompts)) == ("rule after model", rule().description, ATTEMPTS)
    assert "it is not a JSON object" in prompts[1]
    assert "there was no answer" in prompts[2]


def test_the_second_attempt_may_be_taken() -> None:
    texts = iter(["no", json.dumps(GOOD)])
    (found,) = document_by_model([DRAFT], lambda prompt: next(texts))
    assert found.by == "model"


def test_a_library_in_a_models_words(tmp_path: Path) -> None:
    """A model that leaks half of the time: its words are in the library, or the rule's, and both are counted."""
    write_toy(tmp_path)
    queries = ["SELECT name FROM student WHERE city = 'Oslo'", "SELECT age FROM student WHERE name = 'Eve'"]
    pairs = [{"question": f"{query}?", "query": query, "db_id": "toy"} for query in queries]
    (tmp_path / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")

    def write(prompt: str) -> str:
        description = "People of a place." if "city" in prompt else "Such as Eve."
        return json.dumps({"description": description, "parameters": {"arg_0": "what to look for"}})

    found = compile_library(tmp_path, tmp_path / "out", write=write)
    assert found.documentation == {"model": 1, "rule after model": 1}
    functions = Library.open(tmp_path / "out").functions.values()
    assert {function.description for function in functions} == {
        "People of a place.",
        "The age of students whose name is `arg_0`. Data: toy.",
    }


def test_a_models_text_that_prints_another_function_is_not_taken() -> None:
    """Neither the text that a rule wrote of the other function, nor the one that the model wrote of it."""
    inner = replace(
        DRAFT, sql="SELECT avg(age) FROM student", parameters=(), description="The average age over students."
    )
    outer = replace(DRAFT, sql="SELECT name FROM student WHERE age > (SELECT avg(age) FROM student)", parameters=())
    telling = {
        "by rule": ("How old they are in the mean.", "Students above (the average age over students)."),
        "by the model": ("How old they are in the mean.", "Students above how old they are, in the mean."),
        "apart": ("How old they are in the mean.", "Students above average."),
    }
    for case, (first, second) in telling.items():
        descriptions = {inner.sql: first, outer.sql: second}

        def write(prompt: str, descriptions: dict[str, str] = descriptions) -> str:
            sql = next(line for line in prompt.splitlines() if line in descriptions)
            return json.dumps({"description": descriptions[sql], "parameters": {}})

        found = document_by_model([inner, outer], write)
        assert [one.by for one in found] == ["model", "model" if case == "apart" else "rule after model"], case
