"""Building a library and calling its functions; databases that can only be read; what is left out, and why."""

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.call import Failure, Value
from sealegs.faults.user_error import UserError
from sealegs.world.sql import build
from sealegs.world.sql.build import LETTERS, compile_library, opaque_names
from sealegs.world.sql.database import Database, QueryFailed, same_rows
from sealegs.world.sql.function_library import TABLE, Library
from sealegs.world.sql.pairs import read_pairs
from tests.world.sql.toy import SCRIPT, write_toy

NESTED = (
    "SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE course_id IN "
    "(SELECT id FROM course WHERE title = 'Logic'))"
)
PAIRS: list[tuple[str, str]] = [
    ("How many students are there?", "SELECT count(*) FROM student"),
    ("Who is older than average?", "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student) ORDER BY age"),
    ("Who takes Logic?", NESTED),
    ("Name everyone who takes Logic.", NESTED),
    (
        "Who lives in Oslo and got an A?",
        "SELECT name FROM student WHERE city = 'Oslo' AND id IN (SELECT student_id FROM takes WHERE grade = 'A')",
    ),
    (
        "Who got an A in 2019?",
        'SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE grade = "A" AND year = 2019)',
    ),
    (
        "Who got an A in 2020?",
        'SELECT name FROM student WHERE id IN (SELECT student_id FROM takes WHERE grade = "A" AND year = "2020")',
    ),
    ("Which notes are there?", "SELECT note FROM memo WHERE id IN (SELECT max(id) FROM memo)"),
    ("Which bodies?", "SELECT body FROM memo WHERE id = (SELECT min(id) FROM memo)"),
    ("Who is in no course?", "SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM takes)"),
    ("Nobody?", "SELECT name FROM student WHERE age > (SELECT max(age) FROM student)"),
    ("Null?", "SELECT city FROM student WHERE age = (SELECT max(age) FROM student)"),
    ("Many?", "SELECT a.id FROM student a, student b, student c WHERE a.id >= (SELECT min(id) FROM student)"),
    ("Badges?", "SELECT owner FROM badge WHERE code IN (SELECT id FROM student)"),
    ("Correlated?", "SELECT name FROM student s WHERE age = (SELECT max(age) FROM student WHERE city = s.city)"),
    ("Typo?", "SELECT nme FROM student WHERE id IN (SELECT 1)"),
    ("Grammar?", "SELECT FROM WHERE"),
    ("Now?", "SELECT name FROM student WHERE born < date('now')"),
    ("Who takes Logic?", "SELECT name FROM student WHERE id IN (SELECT 1)"),
]


def write_pairs(folder: Path, pairs: list[tuple[str, str]] = PAIRS) -> Path:
    entries = [{"question": question, "query": query, "db_id": "toy"} for question, query in pairs]
    entries.append({"question": "Where?", "query": "SELECT 1", "db_id": "elsewhere"})
    (folder / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_toy(folder)
    return write_pairs(folder)


@pytest.fixture(scope="module")
def built(data: Path) -> Path:
    compile_library(data, data / "out")
    return data / "out"


@pytest.fixture
def library(built: Path) -> Iterator[Library]:
    found = Library.open(built)
    yield found
    found.close()


def test_each_pair_left_out_has_its_reason(built: Path) -> None:
    lines = [json.loads(line) for line in (built / "left_out.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {PAIRS[line["number"] - 1][0] if line["number"] <= len(PAIRS) else "Where?": line for line in lines}
    reasons = {question: line["reason"] for question, line in found.items()}
    assert reasons.pop("Typo?").startswith("execution error: no such column")
    assert reasons.pop("Grammar?").startswith("parse error")
    assert reasons == {
        "Nobody?": "the answer is empty",
        "Null?": "the answer holds null",
        "Many?": "the answer has more than 100 rows",
        "Badges?": "differs: composed calls do not give the same rows",
        "Correlated?": "its subqueries are correlated only",
        "Now?": "it depends on the time",
        "Who takes Logic?": "the question is there already",
        "Where?": "there is no such database",
    }
    assert {question for question, line in found.items() if line["functions"]} == {
        "Nobody?", "Null?", "Many?", "Badges?", "Correlated?", "Who takes Logic?",
    }  # fmt: skip


def test_every_solution_of_every_problem_gives_its_answer(library: Library, data: Path) -> None:
    raw = sqlite3.connect(data / "database" / "toy" / "toy.sqlite")
    queries = dict(reversed(PAIRS))
    written = [problem for problem in library.problems if problem.id == problem.origin]
    assert len(written) == 9
    for problem in library.problems:
        assert problem.solutions[0].kind == "direct"
        assert {solution.kind for solution in problem.solutions[1:]} == {"composed"}
        for solution in problem.solutions:
            outcome = library.answers(solution)
            assert isinstance(outcome, Value), outcome
            assert same_rows(outcome.value, problem.rows, problem.ordered)
    for problem in written:
        if problem.question not in ("Which notes are there?", "Which bodies?"):
            rows = raw.execute(queries[problem.question]).fetchall()
            assert same_rows(rows, problem.rows, problem.ordered)
    raw.close()


def test_no_function_ends_all_solutions(library: Library) -> None:
    """Whichever function breaks, one solution stays."""
    for problem in library.problems:
        for name in problem.functions:
            assert any(name not in solution.functions for solution in problem.solutions)


def test_other_values_are_asked_for_and_answered(library: Library, data: Path) -> None:
    made = [problem for problem in library.problems if problem.replaced]
    raw = sqlite3.connect(data / "database" / "toy" / "toy.sqlite")
    questions = {problem.question for problem in made}
    assert "Who takes Sets?" in questions
    assert "Who takes Logic?" not in questions
    for problem in made:
        (origin,) = (one for one in library.problems if one.id == problem.origin)
        query = next(query for question, query in PAIRS if question == origin.question).replace('"', "'")
        question = origin.question
        for old, new in problem.replaced.items():
            assert question.count(old) == 1
            question = question.replace(old, str(new))
            query = query.replace(f"'{old}'", "'" + str(new).replace("'", "''") + "'").replace(f"= {old}", f"= {new}")
        assert question == problem.question
        assert same_rows(raw.execute(query).fetchall(), problem.rows, problem.ordered)
    raw.close()


def test_the_split_keeps_together_what_one_function_solves(library: Library) -> None:
    splits: dict[str, set[str]] = {}
    for problem in library.problems:
        splits.setdefault(problem.solutions[0].steps[0].function, set()).add(problem.split)
    assert all(len(found) == 1 for found in splits.values())


def test_names_say_nothing_and_stay(library: Library, data: Path, tmp_path: Path) -> None:
    assert all(set(name.removeprefix("fn_")) <= set(LETTERS) for name in library.functions)
    compile_library(write_pairs(_copied(data, tmp_path), PAIRS[:7]), tmp_path / "less")
    less = {(function.sql, name) for name, function in Library.open(tmp_path / "less").functions.items()}
    assert less <= {(function.sql, name) for name, function in library.functions.items()}
    compile_library(data, tmp_path / "other", seed=1)
    assert not set(Library.open(tmp_path / "other").functions) & set(library.functions)


def test_names_are_unique_among_many() -> None:
    keys = [("db", f"SELECT {number}") for number in range(20_000)]
    names = opaque_names(keys, 0)
    assert len(set(names.values())) == 20_000
    assert names == opaque_names(keys[::-1], 0)


def test_the_same_bytes_with_any_number_of_processes(built: Path, data: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from sealegs.generate.library_build import build_library\n"
        "if __name__ == '__main__': build_library(Path(sys.argv[1]), Path(sys.argv[2]), jobs=2)"
    )
    write_toy(twice := _copied(data, tmp_path), "again")
    entries = json.loads((twice / "pairs.json").read_text(encoding="utf-8"))
    entries += [{**entry, "db_id": "again"} for entry in entries]
    (twice / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    subprocess.run([sys.executable, "-c", code, str(twice), str(tmp_path / "two")], check=True, timeout=1800)
    compile_library(twice, tmp_path / "one")
    for name in (TABLE, "left_out.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_function_is_specified_as_a_tool_call(library: Library) -> None:
    function = _made_of(library, "grade = :arg_0 AND year = :arg_1", "SELECT student_id")
    assert function.kind == "subquery"
    assert function.spec == {
        "name": function.name,
        "description": "The student id of takes whose grade is `arg_0` and year is `arg_1`. Data: toy.",
        "parameters": {
            "type": "object",
            "properties": {
                "arg_0": {"type": "string", "description": "a text, as in the grade of the takes"},
                "arg_1": {"type": "integer", "description": "a whole number, as in the year of the takes"},
            },
            "required": ["arg_0", "arg_1"],
            "additionalProperties": False,
        },
        "returns": {
            "type": "array",
            "description": "the rows, each a list of its cells",
            "items": {"type": "array", "prefixItems": [{"description": "student id"}]},
        },
    }
    assert function.tool.parameters == function.spec["parameters"]
    assert library.call(function.name, {"arg_0": "A", "arg_1": 2019}) == Value([[1]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arg_0": "A"}, "arg_1 is missing; give a whole number"),
        ({"arg_0": 1, "arg_1": 2019}, "arg_0 is a whole number; give a text"),
        ({"arg_0": "A", "arg_1": "2019"}, "arg_1 is a text; give a whole number"),
        ({"arg_0": "A", "arg_1": True}, "arg_1 is a boolean"),
        ({"arg_0": None, "arg_1": 2019.5}, "arg_0 is null; give a text; arg_1 is a number"),
        ({"arg_0": "A", "arg_1": 2**63}, "more than 64 bits"),
        ({"arg_0": "A", "arg_1": 2019, "year": 1}, "year is not a parameter; the parameters are arg_0, arg_1"),
        ({"arg_0": "\ud800", "arg_1": 2019}, "half a character"),
        ({"arg_0": ["A"], "arg_1": {}}, "arg_0 is a list; give a text; arg_1 is an object"),
        ({"arg_0": "A", "arg_1": float("nan")}, "arg_1 is a number"),
    ],
)
def test_bad_arguments_are_refused_with_words(library: Library, arguments: dict[str, Any], message: str) -> None:
    function = _made_of(library, "grade = :arg_0 AND year = :arg_1", "SELECT student_id")
    outcome = library.call(function.name, arguments)
    assert isinstance(outcome, Failure)
    assert message in outcome.message
    assert (outcome.type, outcome.status) == ("InvalidArguments", 422)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2], [["Ann"], ["Bo"]]),
        ([[1], [2]], [["Ann"], ["Bo"]]),
        (((1,), (2,)), [["Ann"], ["Bo"]]),
        ([], []),
        (["1", None, 2.0], [["Ann"], ["Bo"]]),
        ("1", "is not a list"),
        (1, "is not a list"),
        ({"a": 1}, "is not a list"),
        ([[1, 2]], "a row of 2 cells"),
        ([{"id": 1}, {"id": 2}], [["Ann"], ["Bo"]]),
        ([{"id": 1, "name": "Ann"}], "a row of 2 cells"),
        ([[{"id": 1}]], "holds an object"),
        ([float("inf")], "not finite"),
    ],
)
def test_what_a_scratchpad_takes(library: Library, values: Any, found: Any) -> None:
    function = _made_of(library, "SELECT name FROM student WHERE id IN (SELECT COALESCE")
    outcome = library.call(function.name, {"arg_0": values})
    if isinstance(found, list):
        assert outcome == Value(found)
    else:
        assert isinstance(outcome, Failure)
        assert found in outcome.message


def test_an_unknown_function_is_a_failure(library: Library) -> None:
    outcome = library.call("fn_nosuch", {})
    assert isinstance(outcome, Failure)
    assert outcome.status == 404


def test_cells_come_as_json(library: Library) -> None:
    by_question = {problem.question: problem for problem in library.problems}
    assert by_question["Which notes are there?"].rows == (("Malmö",),)
    assert by_question["Which bodies?"].rows == (("00ff",),)


def test_threads_may_call_at_once(library: Library) -> None:
    function = _made_of(library, "grade = :arg_0 AND year = :arg_1", "SELECT student_id")
    found: list[Any] = []

    def call() -> None:
        found.extend(library.call(function.name, {"arg_0": "A", "arg_1": 2019}) for _ in range(50))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Value([[1]])] * 200


WRITES = (
    "INSERT INTO memo VALUES (9, NULL, 'x')",
    "DELETE FROM memo",
    "DROP TABLE memo",
    "CREATE TEMP TABLE t (a)",
    "ATTACH ':memory:' AS other",
    "PRAGMA query_only = OFF",
    "VACUUM INTO 'copy.sqlite'",
    "SELECT load_extension('x')",
    "SELECT random()",
    "SELECT 1; SELECT 2",
    "BEGIN",
)


@pytest.mark.parametrize("statement", WRITES)
@pytest.mark.parametrize("suffix", ["sqlite", "sql"])
def test_a_database_can_only_be_read(tmp_path: Path, statement: str, suffix: str) -> None:
    path = tmp_path / "toy.sql"
    if suffix == "sql":
        path.write_text(SCRIPT, encoding="utf-8")
    else:
        path = write_toy(tmp_path)
    before = path.read_bytes()
    database = Database(path)
    with pytest.raises(QueryFailed):
        database.run(statement)
    assert database.run("SELECT count(*) FROM student").rows == ((6,),)
    database.close()
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_nothing_runs_for_ever(tmp_path: Path) -> None:
    database = Database(write_toy(tmp_path), steps=200_000)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(QueryFailed, match="takes too long"):
        database.run(endless)
    assert database.run("SELECT 1").rows == ((1,),)


def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    database = Database(write_toy(tmp_path))
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100001) SELECT i FROM n"
    with pytest.raises(QueryFailed, match="more than 100000 rows"):
        database.run(rows)


def test_scripts_are_databases(tmp_path: Path, library: Library) -> None:
    (tmp_path / "toy.sql").write_text(SCRIPT, encoding="utf-8")
    write_pairs(tmp_path)
    found = compile_library(tmp_path, tmp_path / "out")
    scripted = Library.open(tmp_path / "out")
    assert (found.questions, set(scripted.functions)) == (9, set(library.functions))
    assert (tmp_path / "out" / "databases" / "toy.sql").is_file()
    assert library.functions.keys() == scripted.functions.keys()
    for problem in scripted.problems:
        outcome = scripted.answers(problem.solutions[-1])
        assert isinstance(outcome, Value)
        assert same_rows(outcome.value, problem.rows, problem.ordered)


@pytest.mark.parametrize(
    "script", ["CREATE TABLE t (a", "ATTACH 'other.sqlite' AS o;", "SELECT load_extension('x');", "\0\xff"]
)
def test_a_script_that_cannot_be_loaded(tmp_path: Path, script: str) -> None:
    (tmp_path / "toy.sql").write_bytes(script.encode("latin-1"))
    with pytest.raises(UserError, match=r"toy\.sql is not an SQL script"):
        Database(tmp_path / "toy.sql")
    assert [found.name for found in tmp_path.iterdir()] == ["toy.sql"]


def test_a_library_is_replaced_whole_and_nothing_else_is(built: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(built, out)
    before = (out / TABLE).read_bytes()
    compile_library(data, out)
    assert (out / TABLE).read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(UserError, match="holds other things"):
        compile_library(data, tmp_path / "mine")
    with pytest.raises(UserError, match="is a file"):
        compile_library(data, tmp_path / "mine" / "letter.txt")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["mine", "out"]


def test_bad_pairs_are_reported_together(tmp_path: Path) -> None:
    entries = [{"question": "a", "query": "SELECT 1"}, 5, {"question": "", "query": 1, "db_id": "x"},
               {"question": "a", "query": "SELECT 1", "db_id": "../x"}]  # fmt: skip
    (tmp_path / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_pairs(tmp_path)
    assert str(caught.value).splitlines() == [
        "pair 1: db_id missing or no text",
        "pair 2: question, query, db_id missing or no text",
        "pair 3: question, query missing or no text",
        "pair 4: '../x' is not a database's name",
        "give a list of {question, query, db_id}",
    ]


@pytest.mark.parametrize(
    ("text", "message"), [("{", "cannot be read as JSON"), ("{}", "holds no list"), ("[]", "there are no pairs")]
)
def test_a_bad_file_of_pairs(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pairs.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_pairs(tmp_path)
    with pytest.raises(UserError, match=r"no file other\.json"):
        read_pairs(tmp_path, Path("other.json"))
    with pytest.raises(UserError, match="no folder"):
        read_pairs(tmp_path / "none")


def test_no_function_at_all_is_a_mistake(tmp_path: Path) -> None:
    write_toy(tmp_path)
    write_pairs(tmp_path, [("Grammar?", "SELECT FROM")])
    with pytest.raises(UserError, match=r"no pair gives a function:\npair 1 \(toy\): parse error"):
        compile_library(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_damaged_library_is_reported(built: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no library\.jsonl\.gz"):
        Library.open(tmp_path)
    for damaged in (b"x", (built / TABLE).read_bytes()[:500]):
        (tmp_path / TABLE).write_bytes(damaged)
        with pytest.raises(UserError, match="build the library again"):
            Library.open(tmp_path)


def test_calling_needs_no_sqlglot(built: Path) -> None:
    code = (
        "import sys; sys.modules['sqlglot'] = None\n"
        "from sealegs.world.sql.function_library import Library\n"
        f"library = Library.open({str(built)!r})\n"
        "print([type(library.answers(s)).__name__ for p in library.problems for s in p.solutions])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(Counter(done.stdout.strip()[1:-1].split(", "))) == {"'Value'"}


def _copied(data: Path, to: Path) -> Path:
    shutil.copytree(data / "database", to / "copy" / "database")
    shutil.copyfile(data / "pairs.json", to / "copy" / "pairs.json")
    return to / "copy"


def _made_of(library: Library, *parts: str) -> Any:
    (found,) = (one for one in library.functions.values() if all(part in one.sql for part in parts)
                and one.sql.startswith(parts[-1]))  # fmt: skip
    return found


def test_what_a_killed_build_left_is_removed(data: Path, tmp_path: Path) -> None:
    left = tmp_path / ".out.aside" / "new" / "databases"
    left.mkdir(parents=True)
    (left / "half.sqlite").write_bytes(b"half")
    compile_library(data, tmp_path / "out")
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_a_library_that_a_killed_build_took_away_is_not_lost(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, aside = tmp_path / "out", tmp_path / ".out.aside"
    compile_library(data, out)
    before = {file.name: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    aside.mkdir()
    out.rename(aside / "old")

    def full(_: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(build, "mark_database", full)
    with pytest.raises(UserError, match="disk is full"):
        compile_library(data, out)
    assert {file.name: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    assert not aside.exists()


def test_a_disk_that_is_full_is_one_message(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(build, "mark_database", full)
    with pytest.raises(UserError, match=r"cannot write .*out: database or disk is full; make room"):
        compile_library(data, tmp_path / "out")
    assert not list(tmp_path.iterdir())
