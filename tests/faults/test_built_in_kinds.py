"""The kinds are the files of their folder, and nothing else names them but the imports for type checkers."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

from sealegs.faults import kinds
from sealegs.faults.built_in_kinds import CLASSES, KINDS, ORDER, is_built_in
from sealegs.faults.fault import Fault

FOLDER = Path(kinds.__file__).parent


def test_every_file_of_the_folder_is_a_kind() -> None:
    assert set(KINDS) == {file.stem for file in FOLDER.glob("*.py")} - {"__init__"}
    assert tuple(KINDS)[: len(ORDER)] == ORDER, "draws depend on the order"
    assert len(KINDS) >= 33
    assert "fault" not in KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_s_class_bears_the_name_of_its_file(kind: str) -> None:
    found = KINDS[kind]
    assert issubclass(found, Fault)
    assert found.model_fields["kind"].default == kind
    assert getattr(kinds, CLASSES[kind]) is found
    fault = found()  # type: ignore[call-arg]
    assert is_built_in(fault)
    assert pickle.loads(pickle.dumps(fault)) == fault


def test_type_checkers_see_the_classes_of_all_kinds() -> None:
    imported = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse((FOLDER / "__init__.py").read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name  # which is what makes it public to them
    }
    missing = {(f"sealegs.faults.kinds.{kind}", name) for kind, name in CLASSES.items()} - imported
    assert not missing, f"import in faults/kinds/__init__.py, under TYPE_CHECKING: {missing}"


def test_an_unknown_kind_is_none() -> None:
    assert "eror" not in KINDS
    with pytest.raises(KeyError):
        KINDS["eror"]
