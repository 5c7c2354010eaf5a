"""The page on testing says what is so: its files run, and its console shows what they print."""

import re
from pathlib import Path

import pytest

import sealegs.adapters.pytest_faults
import sealegs.adapters.python
import sealegs.experiments.pytest_runs  # noqa: F401 - loaded here, so that the run in this process does not load its own
from tests import needs

pytest_plugins = ("pytester",)

PAGE = (Path(__file__).parent.parent.parent / "docs" / "testing.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```(?:python|yaml)\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_files_of_the_page_run(pytester: pytest.Pytester) -> None:
    pytester.makefile(".ini", pytest="[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    for name, text in FILES.items():
        pytester.path.joinpath(name).write_text(text)
    pytester.syspathinsert()
    done = pytester.runpytest_inprocess("-q", "-v")
    done.assert_outcomes(passed=5)
    shown = re.findall(r"^test_(?:agent|runs).py::.* \(seed .*$", PAGE, re.MULTILINE)
    assert len(shown) == 3
    for line in shown:
        assert line in done.stdout.lines


def test_the_plan_of_the_page_is_that_of_the_hunt() -> None:
    pytest.importorskip("hypothesis", reason=needs.module("hypothesis"))
    from sealegs.hunt.callables import callable_target
    from sealegs.hunt.hunt_report import failure_story
    from sealegs.hunt.plan_search import HuntLimits, hunt

    home = "sealegs.hunt.example"
    found = hunt(callable_target(f"{home}:buy", f"{home}:sound"), HuntLimits(frozenset({"error", "physics_violation"})))
    handed = [failure_story(found, number).plan for number in (1, 2)]
    assert FILES["2-get_price-physics_violation.yaml"] in [plan.to_yaml() for plan in handed]
