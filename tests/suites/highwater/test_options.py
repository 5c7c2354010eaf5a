"""What is refused before a run begins: data that cannot be what it was, and sandboxes that hold nothing in."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sealegs.suites.choices import ChoiceError
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.highwater.problem_episodes import MANNERS, PUBLISHED_STYLE, QuestionStyle
from tests import needs
from tests.world.sql.toy import write_toy

pytest.importorskip("sqlglot", reason=needs.module("sqlglot"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with one problem."""
    from sealegs.world.sql.build import compile_library

    folder = tmp_path_factory.mktemp("toy")
    write_toy(folder)
    query = "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student)"
    (folder / "pairs.json").write_text(f'[{{"question": "Who?", "query": "{query}", "db_id": "toy"}}]')
    assert compile_library(folder, folder / "library", most_variants=0).problems == 1
    return folder / "library"


def chosen(folder: Path, **more: str) -> HighwaterOptions:
    return HighwaterOptions(agent="oracle", data=str(folder), interface="calls", **more).checked()  # type: ignore[arg-type]


def other_rows(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("UPDATE student SET name = name || '!'")
        other.commit()


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (other_rows, r"is not the database that .* was built of \(it gives other rows\); build it again"),
        (lambda file: file.write_bytes(file.read_bytes()[:3000]), "not a SQLite database that can be read"),
        (lambda file: file.unlink(), "missing"),
    ],
)
def test_a_database_that_is_gone_or_another_is_no_agents_failure(
    library: Path, tmp_path: Path, harm: Callable[[Path], object], message: str
) -> None:
    assert chosen(library).data == str(library)
    harmed = tmp_path / "library"
    shutil.copytree(library, harmed)
    (file,) = (harmed / "databases").iterdir()
    harm(file)
    with pytest.raises(ChoiceError, match=message):
        chosen(harmed)


def test_a_split_without_problems(library: Path) -> None:
    with pytest.raises(ChoiceError, match="no problems of the split validation; choose another"):
        chosen(library, split="validation")


def test_published_stands_for_four_settings_and_for_nothing_else() -> None:
    options = HighwaterOptions(agent="oracle", as_published=True)
    assert options.style == PUBLISHED_STYLE
    again = HighwaterOptions(**{name: getattr(options, name) for name in ("agent", "as_published", *MANNERS)})
    assert again == options, "as a task of Inspect is given them"
    assert HighwaterOptions(agent="oracle").style == QuestionStyle()
    for contrary in ({"rows": "lists"}, {"refusal": "own"}):
        with pytest.raises(ChoiceError, match="--as-published does not go with"):
            HighwaterOptions(agent="oracle", as_published=True, **contrary).checked()  # type: ignore[arg-type]
