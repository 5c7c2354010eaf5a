"""The runner of an experiment: its runs in their order, and when they stop because the verdict is settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from sealegs.engines.workers import in_chunks
from sealegs.experiments.experiment_folder import ExperimentFolder
from sealegs.experiments.experiment_options import ExperimentRun
from sealegs.experiments.experiment_report import ExperimentReport
from sealegs.experiments.fault_draw import drawn_faults, plan_of
from sealegs.experiments.run_player import RunPlayer
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.intervals.pass_rates import decide, runs_to_hold, settled
from sealegs.scoring.experiment_metrics import Arm, RunResult
from sealegs.traces import Event

NO_FAULTS = Plan(name="none")


class ExperimentView(Protocol):
    """The display of an experiment while it runs."""

    def note(self, text: str) -> None:
        """Show a sentence."""

    def progress(self, done: int, total: int) -> None:
        """Show how many runs have ended, of how many."""


class SilentView:
    """Shows nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def progress(self, done: int, total: int) -> None:
        """Show nothing."""


class PlayerMaker(Protocol):
    """A maker of a player in another process."""

    def player(self) -> RunPlayer:
        """Make it."""


def _play(player: RunPlayer | PlayerMaker, chunk: Sequence[tuple[ExperimentRun, Plan]]) -> list[list[Event]]:
    made = player if isinstance(player, RunPlayer) else player.player()
    return [made.play(run, plan) for run, plan in chunk]


@dataclass(frozen=True)
class ExperimentRunner:
    """Makes the runs of one experiment in their order.

    Attributes:
        player: plays each run.
        folder: keeps them.
        jobs: processes.
        view: what is shown on the way.
        maker: makes the player in other processes; None where there are none.
    """

    player: RunPlayer
    folder: ExperimentFolder
    jobs: int = 1
    view: ExperimentView = field(default_factory=SilentView)
    maker: PlayerMaker | None = None

    def report(self) -> ExperimentReport:
        """Make what is left of the runs, and report on all."""
        options = self.player.options
        if len(options.inputs) > options.runs:
            self.view.note(
                f"{options.runs} runs take the first {options.runs} of {len(options.inputs)} inputs; "
                f"--runs {len(options.inputs)} takes all"
            )
        if options.baseline:
            self.view.note(f"{options.runs} runs without faults, then up to {options.runs} under faults")
            self._make("baseline", lambda run: NO_FAULTS, self._baseline_settled)
            self._require_calls("baseline")
            if self._baseline_settled():
                return self._found()
        plan_for = self._plans()
        self._announce()
        self._make("faults", plan_for, self._faults_settled)
        self._require_calls("faults")
        return self._found()

    def single(self, number: int, arm: Arm = "faults") -> RunResult:
        """Make one run by itself; where faults are drawn, the runs without them come first.

        Raises:
            UserError: the experiment has no such run.
        """
        options = self.player.options
        if not 0 <= number < options.runs:
            raise UserError(f"there is no run {number + 1}; the runs are 1 to {options.runs}")
        if options.given_plan is None and arm == "faults":
            self._make("baseline", lambda run: NO_FAULTS, self._baseline_settled)
        run = next(run for run in options.planned(arm) if run.number == number)
        plan = NO_FAULTS if arm == "baseline" else self._plans()(run)
        self.folder.keep(self.player.play(run, plan))
        return self.folder.runs[run.id]

    def _require_calls(self, arm: Arm) -> None:
        """Refuse an agent none of whose calls was seen: whatever it did, nothing was tested.

        Raises:
            UserError: no run of this arm made a call.
        """
        runs = self._runs(arm)
        # Where all of them failed, the agent is what is wrong, and the verdict says so.
        if any(run.passed for run in runs) and not any(run.record.turns for run in runs):
            raise UserError(
                f"{self.player.agent.name} called no tool through Sealegs in {len(runs)} runs, so there is nothing to "
                "strike; wire its tools as docs/adapters.md shows, without naming a session"
            )

    def _make(self, arm: Arm, plan_for: Callable[[ExperimentRun], Plan], done: Callable[[], bool]) -> None:
        planned = list(self.player.options.planned(arm))
        left = [(run, plan_for(run)) for run in planned if run.id not in self.folder.runs]
        self.view.progress(len(planned) - len(left), len(planned))
        if not left or done():
            return
        player = self.maker if self.maker is not None and self.jobs > 1 else self.player
        with closing(in_chunks(left, partial(_play, player), self.jobs, 1)) as played:  # type: ignore[type-var]
            for count, events in enumerate(played, len(planned) - len(left) + 1):
                self.folder.keep(events)
                self.view.progress(count, len(planned))
                if done():
                    return

    def _plans(self) -> Callable[[ExperimentRun], Plan]:
        """The plan of each run under faults.

        Raises:
            UserError: none is given and no tool was seen.
        """
        options = self.player.options
        given = options.given_plan
        if given is not None:
            return lambda run: given
        records = [run.record for run in self._runs("baseline")]
        sites = drawn_faults(records, self.player.specs, options.seed)
        if not sites:
            raise UserError(f"no fault fits what the tools of {self.player.agent.name} answered; give a plan")
        if len(sites) > options.runs:
            self.view.note(f"{options.runs} of {len(sites)} faults fit the runs; --runs {len(sites)} tries them all")
        return lambda run: plan_of(sites[run.number % len(sites)], options.seed)

    def _announce(self) -> None:
        """Say what the runs under faults will cost, and what they can show."""
        options = self.player.options
        needed = runs_to_hold(options.fail_under)
        if needed is not None and options.runs < needed:
            self.view.note(
                f"{options.runs} runs cannot show a pass rate of {100 * options.fail_under:g} %, even if all pass; "
                f"{needed} can"
            )
        clean = self._runs("baseline")
        if clean:
            calls = sum(len(run.record.own) for run in clean) / len(clean)
            runs = options.runs
            self.view.note(
                f"without faults it passed {sum(run.passed for run in clean)} of {len(clean)} runs, with {calls:.1f} "
                f"tool calls each; up to {runs} runs under faults follow, about {calls * runs:,.0f} calls"
            )

    def _runs(self, arm: Arm) -> list[RunResult]:
        return sorted((run for run in self.folder.runs.values() if run.arm == arm), key=lambda run: run.number)

    def _baseline_settled(self) -> bool:
        """Return whether the agent is shown to be too weak without any fault."""
        clean, options = self._runs("baseline"), self.player.options
        passed, left = sum(run.passed for run in clean), options.runs - len(clean)
        weak = decide(passed, len(clean), options.fail_under) == "weakness"
        return weak and (left == 0 or (options.settle and settled(passed, len(clean), left, options.fail_under)))

    def _faults_settled(self) -> bool:
        options = self.player.options
        if not options.settle:
            return False
        made = self._runs("faults")
        faulted = [run for run in made if run.counts]
        usual: set[str] = {name for run in self._runs("baseline") for name in run.violations}
        if any(set(run.violations) - usual for run in faulted):
            return True
        passed, n, left = sum(run.passed for run in faulted), len(faulted), options.runs - len(made)
        # That a question stays open is no reason to stop: the runs that are left still show what fails.
        decided = decide(passed, n, options.fail_under) != "inconclusive"
        return decided and settled(passed, n, left, options.fail_under)

    def _found(self) -> ExperimentReport:
        runs = (*self._runs("baseline"), *self._runs("faults"))
        return ExperimentReport(self.player.options, runs)
