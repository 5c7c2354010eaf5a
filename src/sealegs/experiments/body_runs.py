"""An experiment whose agent is the body of a test, which is agent and check in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from sealegs.experiments.experiment_folder import ExperimentFolder
from sealegs.experiments.experiment_options import ExperimentOptions, required_rate
from sealegs.experiments.experiment_report import ExperimentReport
from sealegs.experiments.experiment_runner import ExperimentRunner
from sealegs.experiments.run_harness import RunHarness
from sealegs.experiments.run_player import ENDS, RunPlayer
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, Session
from sealegs.inject.layer_context import Watcher
from sealegs.intervals.pass_rates import decide
from sealegs.scoring.experiment_metrics import RunResult
from sealegs.scoring.run_contracts import contract_from
from sealegs.traces import EpisodeStarted, repetitions
from sealegs.traces.repeated_calls import count_unproven

OF_ANSWERS = ("no_invented_value", "right_stop")  # contracts that say nothing of a run without an answer


@dataclass
class BodyAgent:
    """The body of a test as an agent, and as its check.

    Attributes:
        name: the test's.
        body: runs it once; raises where it fails.
        began: called with each run's name and session before it begins.
        answer_of: gives the answer that the body noted, and what it answers; None if it noted none.
        failures: the classes of what a body raises that is not a crash.
        skips: the classes of what a body raises to skip itself, which under faults is a failure.
        ends: the classes of what a body raises to end the whole session of tests.
        errors: what each run raised, by its name.
    """

    name: str
    body: Callable[[], None]
    began: Callable[[str, Session], None]
    answer_of: Callable[[], tuple[str, str] | None]
    failures: tuple[type[BaseException], ...] = (AssertionError,)
    skips: tuple[type[BaseException], ...] = ()
    ends: tuple[type[BaseException], ...] = ()
    errors: dict[str, BaseException] = field(default_factory=dict)
    _failed: str | None = None

    def run(self, harness: RunHarness) -> str | None:
        """Run the body while the session is active; an assertion that fails is left to the check."""
        self._failed = None
        run = _run_name(harness)
        self.began(run, harness.session)
        try:
            with harness.session:
                self.body()
        except self.failures as error:
            self.errors[run] = error
            self._failed = str(error) or "an assertion of the test"
        except self.skips as error:
            if not harness.plan.rules:  # without faults it skips the whole test
                raise
            self.errors[run] = error
            self._failed = f"the test skipped itself: {error}"
        except BaseException as error:
            self.errors[run] = error
            raise
        answer = self.answer_of()
        if answer is None:
            return None
        harness.recorder.note({"input": answer[1]})
        return answer[0]

    def check(self, answer: object) -> None:
        """Fail as the body did."""
        if self._failed is not None:
            raise AssertionError(self._failed)


def _run_name(harness: RunHarness) -> str:
    first = harness.recorder.events[0]
    return first.episode if isinstance(first, EpisodeStarted) else harness.episode


@dataclass(frozen=True)
class BodyRuns:
    """The runs that a mark asks for."""

    options: ExperimentOptions
    specs: Mapping[str, ToolSpec]

    def runner(self, agent: BodyAgent, watch: Callable[[Plan, Clock], Watcher]) -> ExperimentRunner:
        """The experiment on a body."""
        player = RunPlayer(
            agent,
            self.options,
            agent.check,
            [contract_from(text) for text in self.options.contracts],
            self.specs,
            watch,
            f"{agent.name} ",
            quiet=False,
            passing=(*ENDS, *agent.skips, *agent.ends),
        )
        return ExperimentRunner(player, ExperimentFolder(None, self.options, "", lambda note: None))


def body_runs(
    name: str,
    plan: Plan | None,
    *,
    runs: int,
    min_pass_rate: float = 0.8,
    baseline: bool = True,
    contracts: Sequence[str] = (),
    specs: Iterable[ToolSpec] = (),
    seed: int | None = None,
    timeout: float = 30.0,
    clock: Literal["real", "virtual"] = "virtual",
    max_calls: int = 50,
) -> BodyRuns:
    """The runs that a mark asks for; the arguments as in `sealegs.experiment`, `min_pass_rate` as its `fail_under`.

    Raises:
        UserError: something that was given cannot be used.
    """
    if plan is None and not baseline:
        raise UserError("faults are drawn from the tools of the runs without faults; give a plan, or keep the baseline")
    if plan is not None and not plan.rules:
        raise UserError(f"the plan {plan.name!r} has no rules; give it one, or give no plan")
    # A text is a sequence of texts too: each letter would be taken for a contract.
    if isinstance(contracts, str):
        raise UserError(f'contracts is a text; give a list: contracts=["{contracts}"]')
    # Read for their mistakes alone, which thus show before the first run; `BodyRuns.runner` reads them again.
    for text in contracts:
        contract_from(text)
    known = list(specs)
    if not all(isinstance(spec, ToolSpec) for spec in known):
        raise UserError("specs holds something other than ToolSpecs; give a list of them")
    try:
        options = ExperimentOptions(
            agent=name,
            plan="" if plan is None else plan.model_dump_json(by_alias=True),
            contracts=tuple(contracts),
            runs=runs,
            baseline=baseline,
            fail_under=required_rate(min_pass_rate),
            seed=seed or 0,
            timeout=timeout,
            clock=clock,
            max_calls=max_calls,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{'.'.join(map(str, first['loc']))} is {first['input']!r}: {first['msg']}") from error
    # `required_rate` raises it, as it compares before the model can check the type.
    except TypeError as error:
        raise UserError(f"min_pass_rate is {min_pass_rate!r}; give a share such as 0.8") from error
    return BodyRuns(options, {spec.name: spec for spec in known})


def made_runs(runner: ExperimentRunner) -> ExperimentReport:
    """Make the runs of a body.

    Raises:
        UserError: a contract judges answers and the body reported none, or no tool was seen to draw faults on.
    """
    with closing(runner.folder):
        report = runner.report()
    untold = [one for one in report.options.contracts if one.partition(":")[0] in OF_ANSWERS]
    # Only with calls in the record: a body that made none has a plainer problem, which the report shows.
    if untold and not any(run.record.answer for run in report.runs) and any(run.record.turns for run in report.runs):
        raise UserError(
            f"contract {untold[0]} judges the answer, and the test reported none; ask for the fixture `faults` and "
            "call faults.answered(answer, to=question)"
        )
    return report


def fails_by_itself(runs: Sequence[RunResult], required: float) -> str:
    """The reason why a test without a verdict fails all the same; empty if it does not.

    Too many of its runs failed without any fault, or not one passed: that is no doubt about faults.
    """
    alone = [run for run in runs if not run.record.exposed]
    faulted = [run for run in runs if run.record.exposed]
    for own, what in ((alone, "in which no fault was delivered"), (faulted, "under faults")):
        passed = sum(run.passed for run in own)
        if own and (not passed or decide(passed, len(own), required) == "weakness"):
            return f"it passed {passed} of {len(own)} runs {what}"
    return ""


def failing_lines(runs: Sequence[RunResult], most: int) -> list[str]:
    """The failing runs, a line each: its number, what was delivered, and what was wrong."""
    failed = [run for run in runs if not run.passed]
    lines = [f"  {_named(run)}: {'; '.join(run.problems)}" for run in failed[:most]]
    return [*lines, *([f"  and {len(failed) - most} more failed"] if len(failed) > most else [])]


def _named(run: RunResult) -> str:
    if run.arm == "baseline":
        return f"run {run.number + 1} without faults"
    met = ", ".join(dict.fromkeys(run.faults))
    return f"run {run.number + 1} ({met or 'no fault was delivered'})"


def runs_found(report: ExperimentReport, plan: Plan | None) -> dict[str, Any]:
    """The outcome of the runs, as plain data for a test's report.

    Args:
        report: of the runs.
        plan: the plan that was given; None where faults were drawn.
    """
    clean = [run for run in report.runs if run.arm == "baseline"]
    faulted = [run for run in report.runs if run.arm == "faults"]
    exposed = [run for run in faulted if run.counts]
    records = [run.record for run in report.runs]
    turns = [turn for record in records for turn in record.turns]
    injections = [injection for turn in turns for injection in turn.injections]
    again = [one for record in records for one in repetitions(record)]
    name, seed = ("drawn", report.options.seed) if plan is None else (plan.name, plan.seed)
    episode = {
        "plan": name,
        "seed": seed,
        "rules": 1 if plan is None else len(plan.rules),
        "calls": dict(Counter(turn.call.tool for turn in turns)),
        "fired": dict(Counter(injection.rule for injection in injections)),
        "delivered": dict(Counter(injection.rule for injection in injections if injection.delivered)),
        **count_unproven(again),
    }
    verdict = report.verdict
    doubtful = verdict.decision == "inconclusive"  # the reason follows then
    outcome = f"{len(faulted)} runs under faults" if doubtful else f"{verdict.decision}, {verdict.reason}"
    parts = [f"{name} (seed {seed}): {outcome}"]
    parts += [f"{sum(run.passed for run in clean)} of {len(clean)} passed without faults"] if clean else []
    parts += (
        [f"{len(faulted) - len(exposed)} runs met no fault and count nowhere"] if len(exposed) < len(faulted) else []
    )
    return {
        "episodes": [episode],
        "line": "; ".join(parts),
        "inconclusive": verdict.reason if doubtful else "",
        "runs": {
            "runs": len(faulted),
            "exposed": len(exposed),
            "passed": sum(run.passed for run in exposed),
            "verdict": verdict.decision,
        },
    }
