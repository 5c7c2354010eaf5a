"""Each framework that is installed here passes the kit; `nox` runs them all, each in an environment of its own."""

from __future__ import annotations

import importlib

import pytest

from sealegs.adapters.conformance import conform
from tests.adapters.frameworks.suite import FRAMEWORKS, harnesses


@pytest.mark.filterwarnings("default")  # frameworks warn of much that is not ours
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_passes_the_kit(name: str) -> None:
    pytest.importorskip(FRAMEWORKS[name], reason=f"{name} is not installed")
    importlib.import_module(f"sealegs.adapters.{name}")
    found = harnesses(name)
    assert found
    for harness in found:
        report = conform(harness)
        assert not report.failed, str(report)
        assert report.counts()["passed"] >= 0.8 * len(report.verdicts), str(report)
