"""`sealegs.check`: from an agent, its tools and a task to a report with ground truth.

First runs without faults show what right looks like, unless a file of the reference is there. Then every place of the
task is struck in each mode that it allows, and the judge of `maze` says by value whether the agent did right: the task
done with nothing done twice, or, where no way is left, a stop that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sealegs.experiments.agent_under_test import AgentUnderTest, CallableAgent, agent_from, arguments_for
from sealegs.experiments.check_options import CheckOptions
from sealegs.experiments.code_digest import code_digest
from sealegs.experiments.experiment_folder import ExperimentFolder
from sealegs.experiments.experiment_options import ExperimentRun
from sealegs.experiments.experiment_runner import NO_FAULTS, ExperimentView, SilentView
from sealegs.experiments.reference_check.alternative_search import Alternatives, DeclaredWays, declared_ways
from sealegs.experiments.reference_check.check_episodes import CLEAN, CheckEpisode, CheckTask
from sealegs.experiments.reference_check.check_report import (
    REFERENCE,
    SUITE,
    CheckReport,
    judged_runs,
    reference_digest,
)
from sealegs.experiments.reference_check.checked_tools import (
    CheckedTool,
    Reset,
    do_reset,
    takes_tools,
)
from sealegs.experiments.reference_check.found_ways import with_found_ways
from sealegs.experiments.reference_check.given_tools import acts_unreset, makes_fresh, tool_maker
from sealegs.experiments.reference_check.learned_reference import LearnedReference, LearnedTool
from sealegs.experiments.reference_check.reference_assembly import learn_reference
from sealegs.experiments.reference_check.reference_file import read_reference, write_reference
from sealegs.experiments.run_harness import RunHarness
from sealegs.experiments.run_player import Check, RunPlayer
from sealegs.faults.naming import import_callable, import_object
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.scenarios.step_use import used_fields
from sealegs.scoring.experiment_metrics import RunResult
from sealegs.suites.run_options import options_from
from sealegs.traces import Recorder
from sealegs.traces.atomic_files import check_appendable

FILE = "sealegs-check.yaml"
LEARN = "learn"


def check(
    agent: str | Callable[..., Any] | object,
    tools: str | Iterable[Any] | Callable[[], Iterable[Any]],
    task: str,
    *,
    effects: Sequence[str] | None = None,
    alternatives: Alternatives = (),
    specs: Iterable[ToolSpec] = (),
    reset: str | Reset | None = None,
    check: str | Check | None = None,
    reference: str | Path | None = FILE,
    out: str | Path | None = None,
    view: ExperimentView | None = None,
    **more: Any,
) -> CheckReport:
    """Learn what right looks like from runs without faults, strike every step, and judge what the agent did.

    Args:
        agent: a callable, an agent object of a framework, `module:name`, a command line, or an address. A function
            with an argument `tools` is given the tools under the seam; else its tools are wired as docs/adapters.md
            shows.
        tools: all tools of the agent, or `module:name` of them, or a function that makes fresh ones for each run.
        task: the agent's request.
        effects: the names of the tools that change something; then the others only read. Without it each tool's own
            declaration counts.
        alternatives: tools that do the same: lists of their names, or mappings from them to fixed arguments.
        specs: what else is known of tools, such as the invariants of their answers.
        reset: puts the world of the tools back to its beginning; called before each run.
        check: whether the answer of a run without faults is right, so that nothing is learned from a wrong one.
        reference: the file of the reference, which is read where it is there; None for no file.
        out: a folder that keeps the runs, so that the same check is resumed.
        view: what is shown on the way.
        more: `clean_runs`, `repeats`, `fail_under`, `seed`, `max_calls`, `timeout`, `time_limit` and `clock`, which
            `CheckOptions` declares.

    Raises:
        UserError: something that was given cannot be used, or nothing can be learned.
    """
    if not task.strip():
        raise UserError("the task is empty; give the request that the agent gets")
    judge_of_clean = import_callable(check) if isinstance(check, str) and check else check or None
    made = tool_maker(tools, list(specs), effects)
    # Made once before the runs, for the declarations of the tools; `AgentWithTools` makes those of each run.
    known = made()
    found, original = _agent(agent, made)
    given = {
        "agent": original.name,
        "inputs": (task,),
        "check": getattr(judge_of_clean, "__qualname__", "") if judge_of_clean is not None else "",
    }
    options = options_from(CheckOptions, {**given, **more}, typed=False)
    resets = import_callable(reset) if isinstance(reset, str) and reset else reset or None
    player = RunPlayer(found, options, specs={tool.spec.name: tool.spec for tool in known})
    _require_takes(found, task)  # before any run, which may cost money and act
    unreset = acts_unreset(known, resets is not None or makes_fresh(tools))
    runner = _CheckRunner(
        player,
        options,
        known,
        declared_ways(alternatives, {tool.spec.name: tool for tool in known}),
        partial(do_reset, resets),
        Path(reference) if reference is not None else None,
        Path(out) if out is not None else None,
        view or SilentView(),
        judge_of_clean,
        unreset,
    )
    return runner.run(code_digest(original, judge_of_clean))  # what is run may be a wrapper of ours


def _require_takes(agent: AgentUnderTest, task: str) -> None:
    """Refuse a function that cannot be called with the task, before any run.

    Raises:
        UserError: it takes no input, or needs more than that.
    """
    if not isinstance(agent, (AgentWithTools, CallableAgent)):
        return
    clock = VirtualClock()
    harness = RunHarness(task, "", NO_FAULTS, Session(clock=clock), Recorder(clock), 1.0, 1.0)
    function = agent.function
    arguments_for(partial(function, tools=[]) if isinstance(agent, AgentWithTools) else function, harness)


@dataclass(frozen=True)
class AgentWithTools:
    """An agent that is given its tools, each under the seam of the run."""

    name: str
    function: Callable[..., Any]
    tools: Callable[[], list[CheckedTool]]

    def run(self, harness: RunHarness) -> Any:
        """Run it once."""
        wrapped = [tool.under(harness.session) for tool in self.tools()]
        return CallableAgent(self.name, partial(self.function, tools=wrapped)).run(harness)


def _agent(agent: Any, tools: Callable[[], list[CheckedTool]]) -> tuple[AgentUnderTest, AgentUnderTest]:
    """The agent as it is run, and as it was given."""
    named = isinstance(agent, str) and agent.count(":") == 1 and "/" not in agent and " " not in agent
    target = import_object(agent) if named else agent
    if not takes_tools(target):
        found = agent_from(agent)
        return found, found
    name = agent if isinstance(agent, str) else getattr(target, "__qualname__", type(target).__name__)
    return AgentWithTools(name, target, tools), CallableAgent(name, target)


@dataclass(frozen=True, slots=True)
class CheckRun(ExperimentRun):
    """A run under its own name."""

    name: str = ""

    @property
    def id(self) -> str:
        """Its name."""
        return self.name


@dataclass(frozen=True)
class _CheckRunner:
    """Makes the runs of a check: the clean ones, what they show, then every run that is judged."""

    player: RunPlayer
    options: CheckOptions
    tools: Sequence[CheckedTool]
    declared: Sequence[DeclaredWays]
    reset: Callable[[], None]
    file: Path | None
    out: Path | None
    view: ExperimentView
    check: Check | None
    unreset: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def request(self) -> str:
        return self.options.inputs[0]

    def run(self, code: str) -> CheckReport:
        """Make the check, or resume it: `code` is the digest of what was run then and now."""
        self.require_file()
        with closing(ExperimentFolder(self.out, self.options, code, self.view.note)) as folder:
            report = self.report(folder)
            folder.end(report.data())
        return report

    def report(self, folder: ExperimentFolder) -> CheckReport:
        """Make what is left of the runs, and report on all."""
        if self.unreset:
            self._note(self.unreset)
        reference = self._reference(folder)
        if self.out is not None:
            write_reference(self.out / REFERENCE, reference)
        task = CheckTask(reference, self.player.specs, self.options.seed)
        episodes, left_out = task.episodes(self.options.repeats)
        self.view.note(
            f"{sum(e.mode == CLEAN for e in episodes)} runs without faults, and "
            f"{sum(e.mode != CLEAN for e in episodes)} under faults"
        )
        results = self._played(task, episodes, folder)
        if not any(one.record.turns for one in results):
            raise UserError(
                f"{self.options.agent} called no tool through Sealegs; wire its tools as docs/adapters.md shows, or "
                "give it an argument `tools`"
            )
        # Before any run is judged: a way that one run found is right in all of them.
        whole, found = with_found_ways(reference, [one.record for one in results])
        runs = judged_runs(replace(task, reference=whole), results)
        return CheckReport(self.options, whole, runs, tuple(left_out), (*self.notes, *found), self.file)

    def require_file(self) -> None:
        """Read the file of the reference if it is there, so that its mistakes are reported before anything is made.

        Raises:
            UserError: it cannot be used, or could not be written.
        """
        if self.file is None:
            return
        if self.file.exists():
            self._from_file(self.file)
        else:
            check_appendable(self.file, "name another file for the reference")

    def _from_file(self, file: Path) -> LearnedReference:
        found = read_reference(file, {tool.spec.name: LearnedTool.of(tool.spec) for tool in self.tools})
        self._require_same(found)
        return found

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.view.note(text)

    def _reference(self, folder: ExperimentFolder) -> LearnedReference:
        """The reference of the file, or of clean runs.

        Raises:
            UserError: the file is of another task, or lacks what is declared now.
        """
        if self.file is not None and self.file.exists():
            found = self._from_file(self.file)
            self.view.note(f"the reference is that of {self.file}")
            return found
        numbers = range(1, self.options.clean_runs + 1)
        kept = [number for number in numbers if _right(folder.runs.get(f"{LEARN}/{number}"))]
        results = [self._clean(number, folder) for number in numbers]
        try:
            learned = self._learned(results)
        except UserError as error:
            if not kept:
                raise
            # With other declarations the kept runs might have been enough; as they are not, others may be.
            self.view.note(f"nothing is learned from the kept runs without faults ({error}); they are made again")
            learned = self._learned([self._clean(number, folder, anew=True) for number in numbers])
        if self.file is not None:
            write_reference(self.file, learned)
            self.view.note(f"what right looks like is in {self.file}; correct it and run again")
        return learned

    def _learned(self, results: Sequence[RunResult]) -> LearnedReference:
        """The reference that clean runs show.

        Raises:
            UserError: they show none.
        """
        records = [one.record for one in results]
        if not any(record.turns for record in records):
            raise UserError(
                f"{self.options.agent} called no tool through Sealegs in {len(records)} runs; wire its tools as "
                "docs/adapters.md shows, or give it an argument `tools`"
            )
        return learn_reference(records, self.request, self.tools, self.declared, self.reset)

    def _require_same(self, found: LearnedReference) -> None:
        remedy = "give reference=... another file, or delete it to learn anew"
        if found.task != self.request:
            raise UserError(f"{self.file} is of another task ({found.task[:80]!r}); {remedy}")
        # Only where something is declared now: the file may know more, since its user corrected it.
        for tool in self.tools:
            held = found.tools.get(tool.spec.name)
            declared = tool.spec.effects
            if held is not None and declared is not None and held.effects != declared:
                raise UserError(
                    f"{self.file} says effects: {held.effects} of {held.name}, and it is declared {declared} now; "
                    "correct the file, or delete it to learn anew"
                )
        # A group of the file may have more ways than are declared, since its user may have added some.
        written = {frozenset(found.steps[id].tool for way in one.ways for id in way) for one in found.alternatives}
        for ways in self.declared:
            if not any(set(ways.tools) <= held for held in written):
                raise UserError(
                    f"{self.file} does not have the alternatives {' | '.join(ways.tools)} that are declared now; write "
                    "them there, or delete it to learn anew"
                )

    def _clean(self, number: int, folder: ExperimentFolder, *, anew: bool = False) -> RunResult:
        """A run to learn from: the one that was kept if it is right, unless one is wanted anew.

        Raises:
            UserError: its answer is wrong.
        """
        name = f"{LEARN}/{number}"
        if anew or not _right(folder.runs.get(name)):
            self.reset()
            facts = {"suite": SUITE, "mode": LEARN, "place": "", "moment": "", "epoch": number, "reference": ""}
            player = replace(self.player, check=self.check, facts=facts)
            folder.keep(player.play(CheckRun("baseline", -number, self.request, name), NO_FAULTS))
        found = folder.runs[name]
        if found.problems:
            raise UserError(f"a run without faults is not right ({found.problems[0]}), so nothing is learned from it")
        return found

    def _played(self, task: CheckTask, episodes: Sequence[CheckEpisode], folder: ExperimentFolder) -> list[RunResult]:
        digest = reference_digest(task.reference)
        player = replace(self.player, specs=_with_used(task))
        results = []
        self.view.progress(0, len(episodes))
        for number, episode in enumerate(episodes):
            held = folder.runs.get(episode.id)
            if held is None or held.record.about.get("reference") != digest:
                self.reset()
                plan: Plan = task.plan(episode)
                facts = _facts(episode, digest)
                arm = "baseline" if episode.mode == CLEAN else "faults"
                run = CheckRun(arm, number, self.request, episode.id)  # type: ignore[arg-type]
                folder.keep(replace(player, facts=facts, key=f"{episode.id}/").play(run, plan))
            results.append(folder.runs[episode.id])
            self.view.progress(number + 1, len(episodes))
        return results


def _right(held: RunResult | None) -> bool:
    """Return whether there is such a run and nothing is wrong with it; else it may have failed for outside reasons."""
    return held is not None and not held.problems


def _facts(episode: CheckEpisode, digest: str) -> dict[str, Any]:
    return {
        "suite": SUITE,
        "mode": episode.mode,
        "place": episode.place,
        "moment": episode.moment,
        "epoch": episode.epoch,
        "reference": digest,
    }


def _with_used(task: CheckTask) -> Mapping[str, ToolSpec]:
    """The specs of the tools, with the fields that the task reads: a wrong answer changes one of them."""
    used: dict[str, dict[str, None]] = {}
    for step in task.task.graph.walk():
        read = dict.fromkeys(used_fields(task.task.graph, step, task.task))
        used.setdefault(task.reference.steps[step.id].tool, {}).update(read)
    return {name: replace(spec, used=tuple(used.get(name, ()))) for name, spec in task.specs.items()}
