"""`highwater` as a suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sealegs.faults.mistake import Mistake
from sealegs.suites.running.folders import Progress
from sealegs.suites.suite import RunReport, Suite

if TYPE_CHECKING:
    from sealegs.suites.highwater.options import HighwaterOptions

PUBLISHED = "hohw"


class HighwaterSuite(Suite["HighwaterOptions"]):
    """Functions made from SQL, of which the first that would do is refused."""

    name = "highwater"
    summary = "Thousands of functions made from SQL; the first one that would do is refused, and another way is needed."

    @property
    def options(self) -> type[HighwaterOptions]:
        """The model of its options."""
        from sealegs.suites.highwater.options import HighwaterOptions

        return HighwaterOptions

    def run_scripted(self, options: HighwaterOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        from sealegs.suites.highwater.running import run_scripted

        run_scripted(options, folder, progress)

    def run_inspect(self, options: HighwaterOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.suites.highwater.inspect_run import run_inspect

        run_inspect(options, folder)

    def notes(self, options: HighwaterOptions) -> Iterator[str]:
        """Say that no code is run, if nothing here could contain it."""
        from sealegs.sandbox import available

        if options.interface == "calls" and not available().strong:
            yield "no strong sandbox here, so the agent's calls are made without one, and no code is run"

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge the runs of a folder; `against` is `hohw`, the published rows."""
        from sealegs.reports.plan_b import print_plan_b
        from sealegs.reports.plan_b_page import plan_b_page
        from sealegs.suites.highwater.logs import read_runs
        from sealegs.suites.highwater.reporting import played

        if against not in ("", PUBLISHED):
            raise Mistake(
                f"a run of highwater can be compared only with {PUBLISHED} (the published rows), not with {against!r}"
            )
        found = played(read_runs(logs))
        results = [result for _, result in found.results]
        return RunReport(
            rows=found.rows,
            warnings=found.warnings,
            show=lambda console: print_plan_b(found.rows, results, console, against == PUBLISHED),
            page=lambda: plan_b_page(found.rows, found.results, found.facts, found.warnings),
        )


SUITE = HighwaterSuite()
