"""What counts as a way round that is printed in the documentation of the function that is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sealegs.suites.highwater.libraries import library_data
from sealegs.world.sql.build import compile_library
from sealegs.world.sql.documentation_overlap import common_run, contains_run, overlap, printed_texts, telling_words
from sealegs.world.sql.function_library import Library, SqlFunction
from sealegs.world.sql.inflection import plural, singular
from sealegs.world.sql.library_check import check_library
from tests.world.sql.toy import write_toy


def function(description: str, *columns: str) -> SqlFunction:
    return SqlFunction(description, "toy", "whole", "", description=f"{description} Data: toy.", columns=columns)


@pytest.mark.parametrize(
    ("holder", "held", "how"),
    [
        ("The name from student where the age is greater than (the average age from student).",
         "The average age from student.", "prints"),
        ("The names of students older than the average age of all students.",
         "The average age of all students.", "prints"),
        ("The name from student where the id is one of (the owner from badge where the code is `arg_0`).",
         "The owner from badge where the code is `arg_7`.", "prints"),
        ("The name of students whose age is above average.", "The average age of students.", ""),
        ("The name of students for each city.", "The name of students.", "extends"),
        ("The name and the city of students.", "The city of students.", "extends"),
        ("The name of those who are on a bus and the city of students.", "The city of students.", "prints"),
        ("The different values of name of students.", "The name of students.", "extends"),
        ("The name of students.", "The name of students.", ""),
        ("The name of students.", "The name of students for each city.", ""),
    ],
)  # fmt: skip
def test_one_documentation_and_the_text_of_another(holder: str, held: str, how: str) -> None:
    assert overlap(function(holder, "name", "city"), function(held, "city")) == how


def test_runs_of_words() -> None:
    assert telling_words("The age of `arg_0`, among students. Data: toy.") == ("age", "argument", "students")
    assert contains_run(("a", "b", "c"), ("b", "c"))
    assert not contains_run(("a", "b", "c"), ("a", "c"))
    assert common_run(("a", "b", "c", "d"), ("x", "b", "c", "a")) == 2
    assert common_run((), ("x",)) == 0


def test_the_packages_own_library_is_sound() -> None:
    found = check_library(library_data().library)
    assert list(found.findings()) == []
    assert (found.problems, found.variants > 100, found.sound) == (len(library_data().library.problems), True, True)
    assert found.largest <= 0.1


def test_documentation_written_as_a_recipe_is_found() -> None:
    """The text of each function of the way round, in brackets at the end: as documentation once was."""
    library = library_data().library
    functions = dict(library.functions)
    chosen = library.problems[:20]
    for problem in chosen:
        direct = problem.solutions[0].functions[0]
        parts = [library.functions[name].description.partition(" Data: ")[0] for name in problem.solutions[1].functions]
        text = f"The answer by means of ({' and '.join(parts)})."
        functions[direct] = replace(library.functions[direct], description=text)
    found = check_library(Library(library.folder, library.about, functions, chosen))
    assert len(found.printing) == len(chosen)
    assert not found.sound
    assert printed_texts(functions.values())


def test_a_variant_asks_for_something_and_what_is_between_matters(tmp_path: Path) -> None:
    """Neither a variant whose subquery finds nothing, nor one that counts nothing, nor one that nothing takes away."""
    write_toy(tmp_path)
    pairs = {
        "How many older than Ann?": "SELECT count(*) FROM student WHERE age > "
        "(SELECT age FROM student WHERE name = 'Ann')",
        "Who has no F?": "SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM takes WHERE grade = 'F')",
        "Who never read in 1900?": "SELECT name FROM student WHERE id NOT IN "
        "(SELECT student_id FROM takes WHERE year = 1900)",
    }
    entries = [{"question": question, "query": query, "db_id": "toy"} for question, query in pairs.items()]
    (tmp_path / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    found = compile_library(tmp_path, tmp_path / "out")
    assert [one.reason for one in found.left_out] == ["a subquery finds nothing, so that it filters nothing"]
    library = Library.open(tmp_path / "out")
    answers = {problem.question: problem.rows for problem in library.problems}
    assert "How many older than Bo?" in answers
    assert "How many older than Åse?" not in answers  # the oldest: nobody to count
    assert {question[-2] for question in answers if question.startswith("Who has no")} == {"A", "B", "C", "F"}
    assert check_library(library).sound
    library.close()


@pytest.mark.parametrize(
    ("one", "many"),
    [("student", "students"), ("city", "cities"), ("bus", "buses"), ("class", "classes"), ("box", "boxes"),
     ("survey", "surveys"), ("staff", "staff"), ("job history", "job history"), ("tram stop", "tram stops"),
     ("house", "houses"), ("cause", "causes"), ("status", "statuses"),
     ("use", "uses"), ("excuse", "excuses"), ("campus", "campuses")],
)  # fmt: skip
def test_nouns(one: str, many: str) -> None:
    assert plural(one) == plural(many) == many
    assert singular(many) == singular(one) == one
