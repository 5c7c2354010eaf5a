"""Each kind does what its golden text says."""

from __future__ import annotations

import json

import pytest

from sealegs.faults.kinds import KINDS

from .golden import FOLDER, Case, cases


@pytest.mark.parametrize("kind", KINDS)
def test_kind_does_as_recorded(kind: str) -> None:
    for case in cases(kind):
        assert case.given["fault"]["kind"] == kind
        assert json.loads(json.dumps(case.now())) == case.recorded, case.given


@pytest.mark.parametrize("kind", KINDS)
def test_golden_texts_show_the_kind_at_work(kind: str) -> None:
    def differs(case: Case) -> bool:
        requests, shown = case.recorded["asked"], case.recorded["shown"]
        return bool(requests != ["run"] or shown != {"value": case.given.get("said")})

    assert any(differs(case) for case in cases(kind))


def test_every_file_is_of_a_kind() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == set(KINDS)
