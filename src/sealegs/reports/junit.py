"""An experiment as JUnit XML, which every CI system reads: one test case a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from sealegs.scoring.experiment_metrics import ExperimentVerdict, RunResult

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0, section 2.2


def junit_xml(agent: str, verdict: ExperimentVerdict, runs: Sequence[RunResult]) -> str:
    """The runs as test cases.

    A run without faults that failed is a failure too. A run under faults that met none is skipped. The verdict is a
    case of its own, because single failures need not make a weakness: CI tools count them, and the exit code decides.
    """
    suite = ElementTree.Element("testsuite", name=f"sealegs test {_clean(agent)}")
    failures = skipped = 0
    for run in runs:
        arm = "without faults" if run.arm == "baseline" else "under faults"
        name = f"run {run.number + 1} {arm}" + (f": {', '.join(dict.fromkeys(run.faults))}" if run.faults else "")
        case = _case(suite, agent, name, run.seconds)
        if not run.passed:
            failures += 1
            _note(case, "failure", run.problems[0], "\n".join([*run.problems, f"input: {run.input}"]))
        elif not run.counts:
            skipped += 1
            _note(case, "skipped", "no fault was delivered", "")
    case = _case(suite, agent, "verdict", 0.0)
    if verdict.decision == "weakness":
        failures += 1
        _note(case, "failure", verdict.reason, verdict.reason)
    elif verdict.decision == "inconclusive":
        skipped += 1
        _note(case, "skipped", verdict.reason, "")
    suite.attrib.update(tests=str(len(runs) + 1), failures=str(failures), skipped=str(skipped), errors="0")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, agent: str, name: str, seconds: float) -> ElementTree.Element:
    attributes = {"classname": _clean(agent), "name": _clean(name), "time": f"{seconds:.3f}"}
    return ElementTree.SubElement(suite, "testcase", attributes)


def _note(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    note = ElementTree.SubElement(case, tag, {"message": _clean(message)})
    note.text = _clean(text) or None


def _clean(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return FORBIDDEN.sub("\ufffd", text)
