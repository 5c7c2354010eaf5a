"""What names the samples of an eval, whenever it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from sealegs.suites.inspect_eval.foreign_task import load_eval, samples_edition

TALKING = """\
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import match


@task
def talking(wish: str = "a lamp"):
    talk = [ChatMessageSystem(content="You sell."), ChatMessageUser(content=f"I want {wish}.")]
    return Task(dataset=[Sample(input=talk, target="x", id="s")], scorer=match())
"""


def test_samples_that_are_messages_have_one_edition(tmp_path: Path) -> None:
    """Inspect gives every message an id that it draws; a run could not be resumed if it counted."""
    file = tmp_path / "talking.py"
    file.write_text(TALKING, encoding="utf-8")
    first, again = (load_eval(f"{file}@talking", {}) for _ in range(2))
    assert first.dataset[0].input[0].id != again.dataset[0].input[0].id  # type: ignore[union-attr]
    assert samples_edition(first) == samples_edition(again)
    assert samples_edition(first) != samples_edition(load_eval(f"{file}@talking", {"wish": "a rug"}))
