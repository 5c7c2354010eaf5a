"""Names and texts that are hard on whoever puts SQL together."""

import json
import sqlite3
from pathlib import Path

import pytest

from sealegs.faults.call import Value
from sealegs.world.sql.build import compile_library
from sealegs.world.sql.database import Database, QueryFailed
from sealegs.world.sql.function_library import Library

NAME = "we ird-ÄÖ"
SCRIPT = """
CREATE TABLE "my table" ("a""b" TEXT, "select" INT, "group" REAL, "Ünï" TEXT, [x y] BLOB, "" TEXT,
  ":arg_0" TEXT, "@0" INT);
INSERT INTO "my table" VALUES ('q"uote', 1, 1.5, 'Ä', x'00', 'e', 'p', 1), ('p''x', 2, 2.5, 'ä', NULL, 'f', 'q', 2);
CREATE TABLE "table" (id INT, value TEXT, json TEXT);
INSERT INTO "table" VALUES (1, 'one', '[1]'), (2, 'two', '{"a": 1}');
CREATE VIEW bad AS SELECT * FROM gone;
CREATE VIEW v AS SELECT "select" AS s FROM "my table";
"""
KEPT = [
    'SELECT "a""b" FROM "my table" WHERE "select" = (SELECT max("select") FROM "my table")',
    'SELECT [a"b] FROM `my table` WHERE "group" > (SELECT avg("group") FROM "my table")',
    'SELECT "Ünï" FROM "my table" WHERE "Ünï" = \'Ä\' AND "select" IN (SELECT id FROM "table")',
    'SELECT ":arg_0" FROM "my table" WHERE ":arg_0" = \':arg_1\' OR '
    '":arg_0" IN (SELECT ":arg_0" FROM "my table" WHERE "@0" = 1)',
    'SELECT value FROM "table" WHERE value IN (SELECT value FROM "table" WHERE id = 2)',
    'SELECT count(*) FROM (SELECT value AS "a b", json FROM "table") WHERE "a b" = \'one\'',
    "SELECT s FROM v WHERE s IN (SELECT s FROM v)",
    "SELECT value FROM \"table\" WHERE value = 'o''ne; DROP TABLE x --' OR id = (SELECT min(id) FROM \"table\")",
    'SELECT "" FROM "my table" WHERE "select" = (SELECT min("select") FROM "my table")',
    'SELECT value FROM "table" WHERE id = (SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 1)',
    "SELECT value FROM \"table\" WHERE id = (SELECT max(id) FROM \"table\") AND value <> '@0' AND json <> ':arg_0'",
    'SELECT (SELECT max(id) FROM "table") AS m, value FROM "table"',
    'SELECT a.value FROM "table" a JOIN (SELECT id FROM "table" WHERE id > 1) AS b USING (id)',
    'SELECT rowid, value FROM "table" WHERE "rowid" = (SELECT 2)',
    'SELECT value FROM "table" WHERE id BETWEEN 1 AND (SELECT max(id) FROM "table") LIMIT (SELECT 1)',
    'SELECT value FROM "table" WHERE id IN (SELECT id FROM "table") AND id IN (SELECT value FROM json_each(\'[1]\'))',
]
LEFT_OUT = {
    "VALUES (1), (2)": "parse error",
    "EXPLAIN SELECT 1": "parse error",
    "PRAGMA table_info('table')": "parse error",
    "SELECT " + "(" * 3000 + "1" + ")" * 3000: "parse error",
    "SELECT 1" + " UNION SELECT 1" * 600: "execution error: too many terms",
    "SELECT * FROM bad WHERE 1 = (SELECT 1)": "execution error: no such table",
    "SELECT replace(printf('%.*c', 1000000, 'x'), 'x', printf('%.*c', 1000, 'y')) WHERE 1 = (SELECT 1)": (
        "execution error: string or blob too big"
    ),
}


def test_hostile_names_and_texts(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / f"{NAME}.db")
    connection.executescript(SCRIPT)
    connection.close()
    entries = [
        {"question": f"{number}?", "query": query, "db_id": NAME} for number, query in enumerate([*KEPT, *LEFT_OUT])
    ]
    (tmp_path / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    found = compile_library(tmp_path, tmp_path / "out")
    reasons = {entries[one.number - 1]["query"]: one.reason for one in found.left_out}
    assert reasons.keys() == LEFT_OUT.keys()
    for query, reason in LEFT_OUT.items():
        assert reasons[query].startswith(reason), query[:80]
    library = Library.open(tmp_path / "out")
    assert len(library.problems) == len(KEPT)
    for problem in library.problems:
        assert len(problem.solutions) > 1
        for solution in problem.solutions:
            assert library.answers(solution) == Value([list(row) for row in problem.rows])
    library.close()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_file_that_is_no_database_leaves_its_pairs_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "fine.sql").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "broken.sqlite").write_bytes(content)
    entries = [{"question": "a?", "query": "SELECT value FROM 'table'", "db_id": name} for name in ("fine", "broken")]
    (tmp_path / "pairs.json").write_text(json.dumps(entries), encoding="utf-8")
    found = compile_library(tmp_path, tmp_path / "out")
    assert [(one.number, one.database, one.functions) for one in found.left_out] == [(2, "broken", False)]
    assert found.functions == 1


def test_patterns_and_cells_have_a_limit(tmp_path: Path) -> None:
    (tmp_path / "fine.sql").write_text(SCRIPT, encoding="utf-8")
    database = Database(tmp_path / "fine.sql")
    with pytest.raises(QueryFailed, match="pattern too complex"):
        database.run("SELECT 'a' LIKE :p", {"p": "%a" * 600})
    with pytest.raises(QueryFailed):
        database.run("SELECT :a", {"a": 2**64})
