"""The kit's report: each check in each mode passed, failed or with nothing to check; how the framework shows errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from sealegs.adapters.conformance.case_runner import CaseRunner
from sealegs.adapters.conformance.conformance_checks import BOTH, CHECKS, NotApplicable
from sealegs.adapters.conformance.expectations import CheckFailed
from sealegs.adapters.conformance.fixtures import Mode
from sealegs.adapters.conformance.harness import Harness

Result = Literal["passed", "failed", "absent"]


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """One check in one mode. `detail` says what failed, or why there is nothing to check."""

    check: str
    mode: Mode
    result: Result
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """The result of the checks of a harness.

    Attributes:
        framework: its name.
        package: its distribution.
        version: of that distribution; empty where it is not installed as one.
        surface: what becomes of a tool that raises `LookupError("No city of that name.")`: what the model reads, or
            what the run is ended by.
        verdicts: one for each check and mode.
    """

    framework: str
    package: str
    version: str
    surface: str
    verdicts: tuple[CheckVerdict, ...]

    @property
    def failed(self) -> tuple[CheckVerdict, ...]:
        """The checks that failed."""
        return tuple(verdict for verdict in self.verdicts if verdict.result == "failed")

    def counts(self) -> dict[Result, int]:
        """The numbers of checks that passed, failed and had nothing to check, over all modes."""
        found = Counter(verdict.result for verdict in self.verdicts)
        return {result: found[result] for result in ("passed", "failed", "absent")}

    def as_data(self) -> dict[str, Any]:
        """The report as JSON data."""
        return asdict(self)

    def __str__(self) -> str:
        head = f"{self.framework} ({self.package} {self.version or 'of unknown version'})"
        lines = [f"{v.result:7} {v.check} ({v.mode}){': ' + v.detail if v.detail else ''}" for v in self.verdicts]
        return "\n".join([head, f"a tool that raises: {self.surface}", *lines])


def conform(harness: Harness, only: Callable[[str, Mode], bool] = lambda check, mode: True) -> ConformanceReport:
    """Put an adapter to every check in every mode of its framework.

    Args:
        harness: the framework and its adapter.
        only: says which checks to make, by name and mode; all unless given.

    Returns:
        The report. Nothing that the adapter or the framework raises gets out: it is what a check reports.
    """
    verdicts = [_verdict(harness, check, mode) for mode in harness.modes for check in CHECKS if only(check, mode)]
    try:
        known = version(harness.package)
    except PackageNotFoundError:
        known = ""
    return ConformanceReport(harness.framework, harness.package, known, _surface(harness), tuple(verdicts))


def _verdict(harness: Harness, check: str, mode: Mode) -> CheckVerdict:
    reason = harness.absent.get(f"{check} ({mode})") or harness.absent.get(check)
    if reason is not None:
        return CheckVerdict(check, mode, "absent", reason)
    try:
        CHECKS[check](CaseRunner(harness, mode))
    except NotApplicable as nothing:
        return CheckVerdict(check, mode, "absent", str(nothing))
    except CheckFailed as wrong:
        return CheckVerdict(check, mode, "failed", str(wrong))
    except Exception as error:  # a harness that is wrong itself
        return CheckVerdict(check, mode, "failed", str(error) or type(error).__name__)
    return CheckVerdict(check, mode, "passed")


def _surface(harness: Harness) -> str:
    def act(arguments: object) -> object:
        raise LookupError("No city of that name.")

    try:
        shown, ended = CaseRunner(harness, harness.modes[0]).bare(*BOTH, acts={"forecast": act}).surface
    except RuntimeError as error:
        return str(error)
    return f"the run ends: {ended}" if ended else next(iter(shown.values()), "nothing")
