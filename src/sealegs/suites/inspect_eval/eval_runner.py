"""Playing an eval clean and under faults through Inspect, in a folder that the same command resumes.

The clean samples come first, because the faults of a sample are drawn among what it calls without any. Each mode is one
of Inspect's own evals, so that its logs, viewer and limits work as usual. A sample that is invalid is played again by
the same command. Where a folder holds nothing yet, a few samples are played first unless a file says which tools there
are, so that an eval without tools is refused before it costs more.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import get_model

from sealegs.adapters.inspect_seam import sample_calls_intercepted
from sealegs.engines.folders import ELSEWHERE, Progress, check_same_run
from sealegs.engines.inspect_runner import plain_words, sample_errors_unprinted
from sealegs.engines.logs import OF_SUITE, SETTINGS, LogError
from sealegs.engines.shards import NOTE, ShardNote, describe_shard, holds_files, open_shard_folder
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.early_checks import check_knowledge, check_plan, check_score, unknown_score
from sealegs.suites.inspect_eval.episode_solver import NO_FAULTS, EvalArm, played_under_faults
from sealegs.suites.inspect_eval.eval_faults import IMPLICIT, OWN, FaultDraw
from sealegs.suites.inspect_eval.eval_logs import (
    FAULT_MODES,
    SUITE,
    WITHOUT_FAULT,
    EvalLogs,
    clean_records,
    finished,
    own_samples,
    played_by,
    read_eval_logs,
)
from sealegs.suites.inspect_eval.eval_marks import OFFERED, TO_USER
from sealegs.suites.inspect_eval.foreign_task import load_eval, only_samples, sample_names, samples_edition
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, load_knowledge
from sealegs.suites.inspect_eval.knowledge_use import eval_answer_text, recovery_layers_for
from sealegs.suites.inspect_eval.options import CLEAN, InspectOptions
from sealegs.suites.inspect_eval.slim_logs import state_out_of_logs
from sealegs.suites.run_options import plan_of_file
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import Record
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.inspect_logs import SUFFIX

PROBED = 3  # samples that are played first
NO_MODEL = "mockllm/model"  # for a reference agent, which asks none
MACHINERY = {"submit"}  # tools of agents, and not of an eval
KEPT = " (the clean samples are kept)"
Pair = tuple[str, int]  # a sample and an epoch


class EvalRunner:
    """A run of an eval in its folder."""

    def __init__(self, options: InspectOptions, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._known: EvalKnowledge | None = options.known()
        self._plan = plan_of_file(options.plan)[0]
        task = load_eval(options.task, options.arguments)
        self._check_models()
        if options.agent:
            self._solver(task)
        check_knowledge(self._known, options.knowledge, [options.task, task.name])
        check_score(task, options.task, options.score)
        shipped = None if self._plan is None else load_knowledge(options.task)
        # Without a shipped file nothing tells yet which tools there are: the clean samples do (`_check_plan`).
        if self._plan is not None and shipped is not None:
            specs = (*shipped.specs, *self._specs)
            check_plan(self._plan, options.task, {spec.name for spec in specs}, specs)
        self._task = task.name
        self._unplayed: Task | None = task
        self._arguments_text = json.dumps(options.arguments, sort_keys=True, default=str)
        self._edition = samples_edition(task)
        self._samples = self._begin(sample_names(task.dataset, options.limit))
        there = {str(sample.id) for sample in task.dataset}
        if gone := [name for name in self._samples if name not in there]:
            raise LogError(f"{folder}: the eval has no sample {gone[0]!r} any more; {ELSEWHERE}")
        self._own = own_samples(self._samples, options.part)
        self._done = 0
        self._total = 0
        self._progress: Progress = lambda done, total: None

    def play(self, progress: Progress) -> None:
        """Play what is left.

        Raises:
            UserError: the eval has no tools, or none that the plan could strike.
            LogError: Inspect ended with an error.
        """
        self._progress = progress
        # What an eval prints is not a result.
        with sample_calls_intercepted(), redirect_stdout(sys.stderr), sample_errors_unprinted():
            self._play_clean()
            if not self._options.describe:
                self._play_faulted()

    def _play_clean(self) -> None:
        pairs = self._pairs()
        logs = self.logs()
        left = [pair for pair in pairs if pair not in finished(logs, CLEAN)]
        modes = () if self._options.describe else self._modes
        self._total = len(pairs) * (1 + len(modes))
        self._done = len(pairs) - len(left)
        self._progress(self._done, self._total)
        if logs is None and self._needs_trial:
            first = [pair for pair in left if pair[1] == 1][:PROBED]
            self._play(CLEAN, dict.fromkeys(first))
            self._check_first()
            if self._plan is not None:
                self._check_plan_early(self._plan)
            # The trial counts as part of the run: it was played like all others, and need not be paid for twice.
            left = [pair for pair in left if pair not in first]
        self._play(CLEAN, dict.fromkeys(left))

    @property
    def _needs_trial(self) -> bool:
        """Whether the first samples could show that the run is a mistake, which what is known does not tell."""
        return not self._specs or bool(self._options.score) or self._plan is not None

    def _play_faulted(self) -> None:
        records = self._clean_records()
        if self._plan is not None and records:
            self._check_plan(self._plan, KEPT, self._elsewhere)
        for mode in self._modes:
            plans = {pair: self._drawn(mode, pair, record) for pair, record in records.items()}
            faulted = {pair: plan for pair, plan in plans.items() if plan is not None}
            self._note_without_fault(mode, [pair for pair in plans if pair not in faulted])
            played = finished(self.logs(), mode)
            left = {pair: plan for pair, plan in faulted.items() if pair not in played}
            self._done += len(self._pairs()) - len(left)
            self._progress(self._done, self._total)
            self._play(mode, left)

    @property
    def _modes(self) -> tuple[str, ...]:
        """The modes in which faults strike; implicit ones only where something is known of the eval's tools."""
        known = self._known is not None and bool(self._known.implicit)
        return tuple(mode for mode in self._options.fault_modes if known or mode not in IMPLICIT)

    def logs(self) -> EvalLogs | None:
        """The logs of the episodes that were played so far; None where there are none."""
        if not any(file.suffix == SUFFIX for file in self._folder.iterdir()):
            return None
        try:
            return read_eval_logs(self._folder)
        except LogError as error:
            if "no finished episode" in str(error):
                return None
            raise

    def _pairs(self) -> list[Pair]:
        return [(sample, epoch) for sample in self._own for epoch in range(1, self._options.epochs + 1)]

    def _drawn(self, mode: str, pair: Pair, record: Record) -> Plan | None:
        if mode == OWN:
            return self._plan
        known = self._known
        draw = FaultDraw(
            self._options.seed,
            self._options.moment,
            {spec.name: spec for spec in self._specs},
            {} if known is None else known.implicit,
        )
        return draw.plan(mode, record, (self._task, self._arguments_text, *pair))

    @property
    def _specs(self) -> tuple[ToolSpec, ...]:
        return () if self._known is None else self._known.specs

    @property
    def _known_user_tools(self) -> Collection[str]:
        return () if self._known is None else self._known.user_tools

    def _begin(self, samples: list[str]) -> list[str]:
        """Make or check the run's folder; the samples of a run are those of its first command."""
        file = self._folder / SETTINGS
        open_shard_folder(self._folder, self._shard_note(samples))
        if file.exists():
            if not self._may_change_plan(file):
                check_same_run(self._options, file)
            samples = [str(one) for one in json.loads(file.read_text(encoding="utf-8"))["samples"]]
        elif holds_files(self._folder):
            raise LogError(f"{self._folder} is not empty and holds no run of Sealegs; {ELSEWHERE}")
        self._write({"samples": samples, FAULT_MODES: [] if self._options.describe else list(self._modes)})
        return samples

    def _shard_note(self, samples: list[str]) -> ShardNote | None:
        """The folder's note on the shard that is played; None for the whole."""
        options = self._options
        if options.part is None:
            return None
        request = {**options.model_dump(mode="json"), "file": options.task.partition("@")[0]}
        return describe_shard(options.part, SUITE, samples, request)

    def _may_change_plan(self, file: Path) -> bool:
        """Return whether only the plan differs and nothing was played under it: then it may be corrected."""
        before = json.loads(file.read_text(encoding="utf-8"))
        now = self._options.model_dump(mode="json")
        if not before.get("plan") or not now["plan"] or any(before.get(k) != now[k] for k in now if k != "plan"):
            return False
        logs = self.logs()
        return logs is None or all(key.mode == CLEAN for key in logs.played)

    def _write(self, more: Mapping[str, Any]) -> None:
        file = self._folder / SETTINGS
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        settings = {**before, **self._options.model_dump(mode="json"), **more}
        if settings != before:
            write_atomically(file, json.dumps(settings, indent=2) + "\n", ELSEWHERE)

    def _note_without_fault(self, mode: str, pairs: Collection[Pair]) -> None:
        before = json.loads((self._folder / SETTINGS).read_text(encoding="utf-8")).get(WITHOUT_FAULT, {})
        self._write({WITHOUT_FAULT: {**before, mode: sorted(map(list, pairs))}})

    def _check_models(self) -> None:
        models = (self._options.model, *self._options.roles.values())
        for name in filter(None, models):  # a reference agent names none: Inspect brings its model
            try:
                get_model(name)
            except (PrerequisiteError, ValueError, ImportError) as error:
                raise LogError(f"the model {name!r} cannot be used: {plain_words(error)}") from error

    def _check_first(self) -> None:
        """Refuse an eval whose first samples offer no tools or have no such score; nothing of it is kept."""
        logs, options = self.logs(), self._options
        wrong = ""
        if logs is not None and options.score and logs.known_scores and not logs.scores:
            wrong = str(unknown_score(options.task, options.score, logs.known_scores))
        elif finished(logs, CLEAN) and not (self._offered() - MACHINERY or self._specs):
            wrong = (
                f"the eval {options.task} offers its agent no tools, and faults strike tools; name an eval with tools"
            )
        if wrong:
            for file in (*self._folder.glob(f"*{SUFFIX}"), self._folder / SETTINGS, self._folder / NOTE):
                # Else the same command, corrected, would find a folder of another run.
                file.unlink(missing_ok=True)
            raise UserError(wrong)

    def _check_plan_early(self, plan: Plan) -> None:
        """Refuse a plan by the first samples, where all of them offered the same tools."""
        sets = {frozenset(record.about.get(OFFERED, ())) for record in self._clean_records().values()}
        if len(sets) == 1:
            known = {spec.name for spec in self._specs}
            self._check_plan(plan, f"{KEPT}; if only other samples have the tool, name it in a --knowledge file", known)

    @property
    def _elsewhere(self) -> Collection[str]:
        """Tools that may be there although no clean sample offered them to its agent.

        A shipped file may be about several suites of an eval, of which the arguments choose one: its tools are not all
        there. Those of a user's own file are meant, and those of a shard's run may be in the samples of another shard.
        """
        whole = self._options.knowledge or self._options.part is not None or not self._offered()
        return {spec.name for spec in self._specs if whole or spec.name in self._known_user_tools}

    def _check_plan(self, plan: Plan, more: str, known: Collection[str]) -> None:
        """Refuse a plan with a rule that strikes no tool that the clean samples offered, nor a known one."""
        tools = self._offered() | self._offered(TO_USER) | set(known)
        check_plan(plan, self._options.task, tools, self._specs, more)

    def _offered(self, to: str = OFFERED) -> set[str]:
        """The tools that the clean samples offered, to the agent or to a simulated user."""
        return {name for record in self._clean_records().values() for name in record.about.get(to, ())}

    def _clean_records(self) -> Mapping[Pair, Record]:
        logs = self.logs()
        return {} if logs is None else clean_records(logs)

    def _play(self, mode: str, plans: Mapping[Pair, Plan | None]) -> None:
        """Play these samples and epochs of a mode: together those of which every epoch is left, then epoch by epoch."""
        missing: dict[str, set[int]] = defaultdict(set)
        for sample, epoch in plans:
            missing[sample].add(epoch)
        every = set(range(1, self._options.epochs + 1))
        # Inspect counts epochs from 1 in each of its evals, so a sample that lacks only some is played epoch by epoch.
        whole = [sample for sample, epochs in missing.items() if epochs == every]
        if whole:
            self._play_in_inspect(mode, whole, 1, len(every), plans)
        for epoch in sorted(every):
            rest = [sample for sample, epochs in missing.items() if epoch in epochs and epochs != every]
            if rest:
                self._play_in_inspect(mode, rest, epoch, 1, plans)

    def _play_in_inspect(
        self, mode: str, samples: Sequence[str], first: int, epochs: int, plans: Mapping[Pair, Plan | None]
    ) -> None:
        options = self._options
        task = self._unplayed_task()
        arm = self._arm(task, mode, first, plans)
        played = task_with(
            task, dataset=only_samples(task.dataset, set(samples)), solver=played_under_faults(self._solver(task), arm)
        )
        try:
            logs = self._evaluated(played, epochs, arm)
        except PrerequisiteError as error:
            raise UserError(f"Inspect cannot run the eval {options.task}: {plain_words(error)}") from error
        if not logs:  # what Inspect returns where it was interrupted after it had run something before
            raise KeyboardInterrupt
        for log in logs:
            if log.status == "cancelled":
                raise KeyboardInterrupt
            if log.status != "success":
                reason = log.error.message if log.error else log.status
                raise LogError(
                    f"Inspect ended the eval with {log.status!r}: {reason}; the same command resumes the run"
                )

    def _unplayed_task(self) -> Task:
        """The eval as it was loaded for the checks, later loaded anew: playing may leave traces in what it holds."""
        task, self._unplayed = self._unplayed, None
        return load_eval(self._options.task, self._options.arguments) if task is None else task

    def _evaluated(self, played: Task, epochs: int, arm: EvalArm) -> Sequence[Any]:
        """The logs of what Inspect has played."""
        options = self._options
        setup = options.model_setup
        with state_out_of_logs() if options.agent else nullcontext():
            return inspect_eval(
                played,
                model=options.model or NO_MODEL,
                model_roles=dict(options.roles) or None,
                log_dir=str(self._folder),
                # A model's sample is paid for, and written as soon as it is finished. To write the log again after each
                # would take longer than all else that is added to a reference agent's.
                log_buffer=None if options.agent else 1,
                log_realtime=False if options.agent else None,
                display="none",
                epochs=epochs,
                fail_on_error=False,
                model_base_url=setup.base_url or None,
                **setup.config,
                **setup.limits,
                metadata={OF_SUITE: {**arm.facts, "mode": arm.mode, "first": arm.first}},
            )

    def _arm(self, task: Task, mode: str, first: int, plans: Mapping[Pair, Plan | None]) -> EvalArm:
        """The data that the solver around the eval's own needs."""
        options = self._options
        facts = {
            "suite": SUITE,
            "version": options.version,
            "task": task.name,
            TASK_SET: self._edition,
            "task_args": options.arguments,
            **played_by(options.agent, options.model),
            **options.noted,
            "score": options.score or _headline(task),
        }
        return EvalArm(
            mode=mode,
            first=first,
            facts=facts,
            plans={pair: plan for pair, plan in plans.items() if plan is not None},
            specs=self._specs,
            user_tools=self._known_user_tools,
            has_user=self._known is not None and self._known.has_user,
            texts=eval_answer_text(self._known),
            layers=partial(recovery_layers_for, options, self._known),
            timeout=options.timeout,
            done=self._one_more,
            schemas=options.describe,
            naming=self._plan or NO_FAULTS,
        )

    def _one_more(self) -> None:
        self._done += 1
        self._progress(self._done, self._total)

    def _solver(self, task: Task) -> Any:
        if not self._options.agent:
            return task.solver
        from sealegs.suites.inspect_eval.reference_agents import reference_solver

        return reference_solver(self._options.task, self._options.agent)


def _headline(task: Task) -> str:
    """The score that the eval itself names as its headline, if it names one."""
    headline = task.headline_metric
    names: Iterator[str | None] = iter(() if headline is None else (headline.scorer, headline.score))
    return ".".join(name for name in names if name)
