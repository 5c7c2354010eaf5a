"""An experiment from beginning to end: runs without faults, then under faults, until the verdict is settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from sealegs.engines.workers import in_chunks
from sealegs.experiments.agent_under_test import agent_from
from sealegs.experiments.code_digest import code_digest
from sealegs.experiments.experiment_folder import ExperimentFolder
from sealegs.experiments.experiment_options import ExperimentOptions, ExperimentRun, distinct, required_rate
from sealegs.experiments.experiment_report import ExperimentReport
from sealegs.experiments.fault_draw import drawn_faults, plan_of
from sealegs.experiments.run_player import Check, RunPlayer
from sealegs.faults.naming import import_callable, import_object
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import read_plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.scoring.experiment_metrics import Arm, RunResult
from sealegs.scoring.pass_rates import decide, runs_to_hold, settled
from sealegs.scoring.run_contracts import contract_from
from sealegs.traces import Event

NO_FAULTS = Plan(name="none")


class ExperimentView(Protocol):
    """What an experiment shows while it runs."""

    def note(self, text: str) -> None:
        """Show a sentence."""

    def progress(self, done: int, total: int) -> None:
        """Show how many runs have ended, of how many."""


class _Silent:
    def note(self, text: str) -> None:
        """Show nothing."""

    def progress(self, done: int, total: int) -> None:
        """Show nothing."""


def experiment(
    agent: str | Callable[..., Any] | object,
    plan: str | Path | Plan | None = None,
    *,
    check: str | Check | None = None,
    contracts: Sequence[str] = (),
    inputs: Sequence[str] = (),
    runs: int = 20,
    baseline: bool = True,
    fail_under: float = 0.8,
    specs: str | Iterable[ToolSpec] = (),
    out: str | Path | None = None,
    jobs: int = 1,
    view: ExperimentView | None = None,
    **more: Any,
) -> ExperimentReport:
    """Run an agent without faults and under faults, and say what that proves.

    Args:
        agent: a callable, an agent object of a framework, `module:name`, a command line, or an address.
        plan: the faults, or the file of a plan; drawn from the tools that are seen without one.
        check: whether an answer is right: a callable that returns True or False or raises, or `module:name`. It takes
            the answer, and `record` and `input` if it names them.
        contracts: what every run must keep, by name (`docs/contracts.md`).
        inputs: what the agent is asked, in turn.
        runs: how many runs are made under faults, at most.
        baseline: whether as many are made without faults.
        fail_under: the pass rate under faults that is required.
        specs: what is known of the tools, or `module:name` of it.
        out: a folder that keeps the runs, so that the same experiment is resumed; none by default.
        jobs: processes, for an agent that is given by name.
        view: what is shown on the way; nothing by default.
        more: `seed`, `max_calls`, `timeout`, `time_limit`, `clock` and `settle`; see `ExperimentOptions`.

    Raises:
        UserError: something that was given cannot be used.
    """
    chosen = read_plan(plan) if isinstance(plan, (str, Path)) else plan
    found = agent_from(agent)
    options = ExperimentOptions(
        agent=found.name,
        plan="" if chosen is None else chosen.model_dump_json(by_alias=True),
        check=_name_of(check),
        contracts=tuple(contracts),
        inputs=distinct(inputs),
        runs=runs,
        baseline=baseline,
        fail_under=required_rate(fail_under),
        **more,
    )
    if chosen is None and not baseline:
        raise UserError("faults are drawn from the tools of the runs without faults; give a plan, or keep the baseline")
    if chosen is not None and not chosen.rules:
        raise UserError(f"the plan {chosen.name!r} has no rules; give it one, or give no plan")
    player = RunPlayer(
        found,
        options,
        import_callable(check) if isinstance(check, str) and check else check or None,
        [contract_from(text) for text in contracts],
        {spec.name: spec for spec in known_specs(specs)},
    )
    named = isinstance(agent, str) and isinstance(check, (str, type(None))) and isinstance(specs, str)
    if jobs > 1 and not named:
        raise UserError("several processes need an agent, a check and specs given as module:name; leave jobs out")
    maker = _Named(options, specs) if isinstance(specs, str) else None
    shown = view or _Silent()
    code = code_digest(found, player.check)
    with closing(ExperimentFolder(None if out is None else Path(out), options, code, shown.note)) as folder:
        report = _Course(player, folder, jobs, shown, maker).report()
        folder.end(report.data())
    return report


def known_specs(specs: str | Iterable[ToolSpec]) -> list[ToolSpec]:
    """The specs that a user gives or names.

    Raises:
        UserError: something else is among them.
    """
    found = import_object(specs) if isinstance(specs, str) and specs else specs or ()
    kept = list(found) if isinstance(found, Iterable) else [found]
    if not all(isinstance(spec, ToolSpec) for spec in kept):
        raise UserError(f"{specs} holds something other than ToolSpecs; give a list of them")
    return kept


def _name_of(check: str | Check | None) -> str:
    return check if isinstance(check, str) else getattr(check, "__qualname__", type(check).__name__) if check else ""


@dataclass(frozen=True)
class _Named:
    """A player that another process can make, from names."""

    options: ExperimentOptions
    specs: str

    def player(self) -> RunPlayer:
        """Make it."""
        return _player_here(self.options.model_dump_json(), self.specs)


@lru_cache(maxsize=1)
def _player_here(options: str, specs: str) -> RunPlayer:
    read = ExperimentOptions.model_validate_json(options)
    return RunPlayer(
        agent_from(read.agent),
        read,
        import_callable(read.check) if read.check else None,
        [contract_from(text) for text in read.contracts],
        {spec.name: spec for spec in known_specs(specs)},
    )


def _play(player: RunPlayer | _Named, chunk: Sequence[tuple[ExperimentRun, Plan]]) -> list[list[Event]]:
    made = player.player() if isinstance(player, _Named) else player
    return [made.play(run, plan) for run, plan in chunk]


@dataclass(frozen=True)
class _Course:
    """The order of the runs of one experiment."""

    player: RunPlayer
    folder: ExperimentFolder
    jobs: int
    view: ExperimentView
    maker: _Named | None

    def report(self) -> ExperimentReport:
        """Make what is left of the runs, and report on all."""
        options = self.player.options
        if options.baseline:
            self.view.note(f"{options.runs} runs without faults, then up to {options.runs} under faults")
            self._make("baseline", lambda run: NO_FAULTS, self._baseline_settled)
            if self._baseline_settled():
                return self._found()
        plan_for = self._plans()
        self._announce()
        self._make("faults", plan_for, self._faults_settled)
        return self._found()

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
            raise UserError(
                f"{self.player.agent.name} called no tool through Sealegs in {len(records)} runs, so there is nothing "
                "to strike; wire its tools as docs/adapters.md shows, without naming a session"
            )
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
        """Whether the agent is shown to be too weak without any fault."""
        clean, options = self._runs("baseline"), self.player.options
        passed, left = sum(run.passed for run in clean), options.runs - len(clean)
        weak = decide(passed, len(clean), options.fail_under) == "weakness"
        return weak and (left == 0 or (options.settle and settled(passed, len(clean), left, options.fail_under)))

    def _faults_settled(self) -> bool:
        options = self.player.options
        if not options.settle:
            return False
        made = self._runs("faults")
        struck = [run for run in made if run.counts]
        usual: set[str] = {name for run in self._runs("baseline") for name in run.violations}
        if any(set(run.violations) - usual for run in struck):
            return True
        passed, n, left = sum(run.passed for run in struck), len(struck), options.runs - len(made)
        # What cannot be told any more is no reason to stop: the runs that are left still show what fails.
        told = decide(passed, n, options.fail_under) != "inconclusive"
        return told and settled(passed, n, left, options.fail_under)

    def _found(self) -> ExperimentReport:
        runs = (*self._runs("baseline"), *self._runs("faults"))
        return ExperimentReport(self.player.options, runs)
