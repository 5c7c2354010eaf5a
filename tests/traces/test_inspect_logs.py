"""Reading some fields of samples out of Inspect's logs gives what reading whole samples gives."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sealegs.traces import StoreError
from sealegs.traces.inspect_logs import RECORD_NOTE, sample_events, samples
from tests import needs

pytest.importorskip("zstandard", reason=needs.module("zstandard"))

RECORD = [
    {"type": "started", "episode": "e", "about": {"n": 2**70, "x": 1e-7}, "version": 1},
    {"type": "ended", "reason": "answered", "detail": "", "seconds": 0.5},
]
TEXT = "\n".join(map(json.dumps, RECORD))
SAMPLE: dict[str, Any] = {
    "id": 7,
    "epoch": 2,
    "scores": {"right": {"value": "C"}},
    "metadata": {"state": ["much"] * 100},
    "attachments": {"abc": TEXT},
    "events": [
        {"event": "state", "changes": [{"op": "add", "value": {"data": 1}}]},
        {"event": "info", "source": RECORD_NOTE, "data": "attachment://abc"},
    ],
}
FIELDS = ("id", "epoch", "scores")


def log_of(folder: Path, content: str) -> Path:
    file = folder / "one.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"task": "t"}}))
        archive.writestr("samples/7_epoch_2.json", content)
    return file


@pytest.mark.parametrize("more", [{}, {"input": "half a pair: \ud83d"}, {"limit": None, "error": {"message": "NaN"}}])
def test_some_fields_are_those_of_the_whole_sample(tmp_path: Path, more: dict[str, Any]) -> None:
    file = log_of(tmp_path, json.dumps({**SAMPLE, **more}))
    ((whole, started),) = samples(file, [])
    ((part, again),) = samples(file, [], fields=(*FIELDS, "input"))
    assert started == again
    assert {name: part.get(name) for name in (*FIELDS, "input", "error", "limit")} == {
        name: whole.get(name) for name in (*FIELDS, "input", "error", "limit")
    }
    assert sample_events(part) == sample_events(whole) != []


def test_a_state_that_nobody_asks_for_is_left_out(tmp_path: Path) -> None:
    ((part, _),) = samples(log_of(tmp_path, json.dumps(SAMPLE)), [], fields=FIELDS)
    assert "metadata" not in part
    assert part["events"][0] == {"event": "state"}


def test_numbers_that_are_none_are_read(tmp_path: Path) -> None:
    content = json.dumps({**SAMPLE, "scores": {"right": {"value": float("nan")}}})
    assert "NaN" in content
    ((part, _),) = samples(log_of(tmp_path, content), [], fields=FIELDS)
    assert str(part["scores"]["right"]["value"]) == "nan"


def test_interrupted_samples_are_left_out_alike(tmp_path: Path) -> None:
    file = log_of(tmp_path, json.dumps({**SAMPLE, "error": {"message": "CancelledError()"}}))
    assert list(samples(file, [], fields=FIELDS)) == []
    assert len(list(samples(file, [], fields=FIELDS, interrupted=True))) == 1


def test_what_is_no_json_is_refused_in_the_same_words(tmp_path: Path) -> None:
    file = log_of(tmp_path, json.dumps(SAMPLE)[:-1])
    with pytest.raises(StoreError) as whole:
        list(samples(file, []))
    with pytest.raises(StoreError) as part:
        list(samples(file, [], fields=FIELDS))
    assert str(part.value) == str(whole.value)
