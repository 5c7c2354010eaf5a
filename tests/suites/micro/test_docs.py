"""The tables of docs/micro.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
pytestmark = pytest.mark.filterwarnings("default")

from sealegs.suites.micro.campaign_faults import FAULTS, Permanent, experiment_plan  # noqa: E402
from sealegs.suites.micro.episode import Payload, play_micro_episode  # noqa: E402
from sealegs.suites.micro.workloads import load_workloads  # noqa: E402

PAGE = (Path(__file__).parent.parent.parent.parent / "docs" / "micro.md").read_text(encoding="utf-8")


def test_the_tables_name_everything() -> None:
    for name in [*FAULTS, *load_workloads()]:
        assert re.search(rf"^\| `{name}`", PAGE, re.MULTILINE), name
    for name in Payload.model_fields:
        assert re.search(rf"^\| (?:`\w+`, )?`{name}`", PAGE, re.MULTILINE), name


def test_the_table_of_scripts_is_what_they_do() -> None:
    faults = ("none", "unreachable", "slow", "incorrect", "delta")
    for model, counts in re.findall(r"^\| `(scripted/\w+)` \|((?: \d+ \|){5})$", PAGE, re.MULTILINE):
        found = []
        for fault in faults:
            plan = experiment_plan(fault, {"seconds": 0.01} if fault == "slow" else {}, Permanent(), 3).as_data()
            single = [one for one in load_workloads().values() if not one.paired]
            ends = [
                play_micro_episode({"workload": one.name, "model": model, "plan": plan})["answer"] or ""
                for one in single
            ]
            found.append(sum(one.judge(end) for one, end in zip(single, ends, strict=True)))
        assert list(map(int, re.findall(r"\d+", counts))) == found
