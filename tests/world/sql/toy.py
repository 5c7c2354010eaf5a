"""A small database with what real ones do to readers: odd names, numbers kept as text, blobs, texts in no encoding."""

import sqlite3
from pathlib import Path

from sealegs.world.sql.database import Database
from sealegs.world.sql.schema import Schema, read_schema

SCRIPT = """
CREATE TABLE student (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, gpa REAL, city VARCHAR(20), born DATE);
CREATE TABLE course (id INTEGER PRIMARY KEY, title TEXT, credits INT, "Odd Name" TEXT, "order" INTEGER, food TEXT);
CREATE TABLE takes (student_id INTEGER, course_id INTEGER, grade TEXT, year INTEGER);
CREATE TABLE badge (code TEXT, level INTEGER, owner TEXT);
CREATE TABLE memo (id INTEGER, body BLOB, note TEXT);
INSERT INTO student VALUES
 (1, 'Ann', 20, 3.5, 'Oslo', '2001-01-31'), (2, 'Bo', 21, 2.25, 'Oslo', '2000-05-01'),
 (3, 'Cy', 22, 3.5, 'Bergen', '1999-12-31'), (4, 'D''Arc', 23, 0.1, 'Paris', NULL),
 (5, 'Åse', 24, 3.9, NULL, '1997-07-07'), (6, 'Eve', 20, 1.0, 'Lima', '2001-02-03');
INSERT INTO course VALUES
 (10, 'Logic', 5, 'odd', 1, 'cake'), (11, 'Sets', 10, 'even', 2, 'tea'), (12, '50% Proof', 5, 'odd', 3, NULL),
 (13, 'Graphs_2', 7, 'even', 4, 'cake');
INSERT INTO takes VALUES
 (1, 10, 'A', 2019), (1, 11, 'B', 2020), (2, 10, 'C', 2019), (3, 12, 'A', 2021), (4, 13, 'F', 2021), (6, 10, 'A', 2020);
INSERT INTO badge VALUES ('1', 1, 'Ann'), ('02', 2, 'Bo'), ('3', 'three', 'Cy'), ('10', 4, 'Ann');
INSERT INTO memo VALUES (1, x'00ff', 'raw'), (2, x'6869', 'text'), (3, NULL, 'none');
"""
LATIN = b"Malm\xf6"  # a text that is not UTF-8


def write_toy(folder: Path, name: str = "toy") -> Path:
    """The database as a file in Spider's layout."""
    path = folder / "database" / name / f"{name}.sqlite"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCRIPT)
    connection.execute("INSERT INTO memo VALUES (4, NULL, CAST(? AS TEXT))", (LATIN,))
    connection.commit()
    connection.close()
    return path


def open_toy(folder: Path) -> tuple[Database, Schema]:
    """The database, open, and its schema."""
    database = Database(write_toy(folder))
    return database, read_schema("toy", database)
