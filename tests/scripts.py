"""Scripts of the repository that are no part of a package, as modules for tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def load_script(path: str) -> ModuleType:
    """A script, from its path below the repository's root. It finds the scripts beside it."""
    file = ROOT / path
    spec = importlib.util.spec_from_file_location(path.removesuffix(".py").replace("/", "_"), file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(file.parent))
        spec.loader.exec_module(module)
    return module
