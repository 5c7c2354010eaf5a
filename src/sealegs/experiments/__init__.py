"""Experiments on your own agent: runs with and without faults, side by side, and a verdict.

The data's path: `experiment_options` declares the options; `agent_under_test` runs any agent once; `run_player` plays a
run and judges it by the check and the contracts; `fault_draw` chooses faults where no plan is given;
`experiment_folder` keeps the runs that have ended; `experiment_runner` puts the runs in order and stops when the
verdict is settled; `experiment_start` gives an `ExperimentReport`; `scoring.experiment_metrics` makes its rows,
`reports.experiment_page` its page. `pytest_runs` does the same for tests with `@pytest.mark.faults(..., runs=20)`,
whose body is agent and check in one (`body_runs`). `log_reports` reports on the logs of all of them, and on records
that nobody judged.
"""

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.experiments.experiment_report import ExperimentReport
    from sealegs.experiments.experiment_start import experiment

_HOMES = {
    "ExperimentReport": "sealegs.experiments.experiment_report",
    "experiment": "sealegs.experiments.experiment_start",
}
__all__ = ["ExperimentReport", "experiment"]
__getattr__ = lazy_names(__name__, _HOMES)
