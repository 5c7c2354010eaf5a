"""Your own suite: say what its episodes are and what a success is, and the rest is here.

The rest: scripted agents on all cores, models through Inspect, a folder that is resumed, records, metrics with
intervals, tables and a page. A package offers such a suite under the entry point `sealegs.suites`, and its task of
Inspect (`inspect_entry.inspect_task`) under `inspect_ai`; `examples/shelf_suite` is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import ValidationError
from rich.console import Console

from sealegs.engines.folders import Progress, run_rest
from sealegs.engines.logs import LogError, LogSchema, agent_or_model, check_edition, read_logs, run_players
from sealegs.engines.turns import ActingAgent, take_turns
from sealegs.engines.workers import in_chunks
from sealegs.faults.user_error import UserError
from sealegs.inject import EndlessWait, VirtualClock
from sealegs.reports.page_sections import PageSection
from sealegs.reports.suite_page import SUITE_SECTIONS, SuitePage, print_suite_table, render_suite_page
from sealegs.scoring.entrants import Entrant, Scores
from sealegs.scoring.invalid import InvalidCount, PlayedCell, invalid_count, played_cell, playing_rows
from sealegs.scoring.metric import ALL, Metric, Row, player_row
from sealegs.scoring.suite_metrics import (
    DESIGN,
    SUITE_METRICS,
    EpisodeResult,
    repeated_effects,
    suite_differences,
    suite_table,
)
from sealegs.suites.choices import ENGINES, ChoiceError, unknown_name_problems, who_problems
from sealegs.suites.run_options import RunOptions, hidden_option
from sealegs.suites.suite import Suite
from sealegs.suites.suite_reports import RunReport, notes_on_other
from sealegs.suites.tool_episode import LedgeredTools, ToolEpisode, case_text, open_session
from sealegs.tasks.editions import TASK_SET, contents_digest, edition, edition_facts
from sealegs.traces import EpisodeEnded, EpisodeStarted, Event, Record, Recorder
from sealegs.traces.store import line

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ChatMessage, ModelOutput

    from sealegs.engines.run_estimate import SizeRange

SETTINGS = ("agent", "model", "seed", "max_steps", "version", TASK_SET)
CHUNK = 1  # an episode is kept as soon as it ends


class ToolSuiteOptions(RunOptions):
    """The options of such a suite: those of every suite, and what a subclass adds.

    Attributes:
        suite, agents: the suite's name and its scripted agents' names, which the suite sets.
        version: of tasks, tools and faults; a run of one version is not resumed or reported with another.
    """

    suite: ClassVar[str] = ""
    agents: ClassVar[Sequence[str]] = ()
    version: str = hidden_option("1")

    def cases(self) -> Sequence[ToolEpisode]:
        """The episodes, each once, without regard to `limit` and `epochs`."""
        raise NotImplementedError

    def episodes(self) -> list[ToolEpisode]:
        """All episodes of the run."""
        cases = self.cases()
        tasks = list(dict.fromkeys(case.task for case in cases))[: self.limit]
        again = range(1, self.epochs + 1)
        return [case.model_copy(update={"epoch": epoch}) for case in cases if case.task in tasks for epoch in again]

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        if self.agent:
            yield from unknown_name_problems("agent", [self.agent], self.agents)
        yield from unknown_name_problems("engine", [self.engine], ENGINES)
        yield from who_problems(self.agent, self.model, self.engine, next(iter(self.agents), "planner"))

    def checked(self) -> Self:
        """Return the options, checked, with episodes that can be distinguished.

        Raises:
            ChoiceError: with every mistake.
        """
        super().checked()
        cases = self.cases()
        twice = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
        if twice:
            raise ChoiceError(f"{len(twice)} ids name several episodes, such as {twice[0]!r}; each needs its own")
        if any(ALL in (case.level, case.mode) for case in cases):
            raise ChoiceError(f"no level and no mode can be named {ALL!r}, which is the sum of all; rename it")
        return self

    @property
    def name(self) -> str:
        """A folder's name for the run: every option that differs from its default adds a part to it."""
        default, own = type(self)().model_dump(mode="json"), self.model_dump(mode="json")
        left = {"agent", "model", *(["engine"] if self.engine == "direct" or self.model else [])}
        differing = [name for name in own if own[name] != default[name] and name not in left]
        parts = [f"{name}-{_short(own[name])}" for name in differing]
        return "-".join([self.suite, _short(self.agent or self.model), *parts])


def _short(value: Any) -> str:
    text = "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text.replace("/", "-")


class _JudgedRun(NamedTuple):
    """A run: who played it, its judged records, and where every episode is counted."""

    who: Row
    results: list[tuple[EpisodeResult, Record]]
    played: list[PlayedCell]


class ToolSuite(Suite[ToolSuiteOptions, ToolEpisode, Record, EpisodeResult]):
    """A suite whose agent gets a request and tools, and gives an answer.

    Attributes:
        options_type: the model of its options.
        episode_type: its episodes.
        agents: makers of its scripted agents, by name. An agent may know the episode.
        metrics: its metrics.
        sections: the sections of its page.
        less_is_better: the names of those of which less is better.
    """

    options_type: ClassVar[type[ToolSuiteOptions]]
    episode_type: ClassVar[type[ToolEpisode]]
    agents: ClassVar[Mapping[str, Callable[[Any], ActingAgent]]] = {}
    metrics: ClassVar[Sequence[Metric[EpisodeResult]]] = SUITE_METRICS
    sections: ClassVar[Sequence[PageSection[SuitePage]]] = SUITE_SECTIONS
    less_is_better: ClassVar[frozenset[str]] = frozenset({"repeated_effects"})
    reported_together: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.options_type.suite, cls.options_type.agents = cls.name, tuple(cls.agents)

    @property
    def options(self) -> type[ToolSuiteOptions]:
        """The model of its options."""
        return self.options_type

    @property
    def version(self) -> str:
        """The version of tasks, tools and faults."""
        return str(self.options_type.model_fields["version"].default)

    def run_scripted(self, options: ToolSuiteOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        work = partial(self._play_chunk, agent=options.agent, max_steps=options.max_steps)
        run_rest(options, folder, self.schema, lambda left: in_chunks(left, work, options.jobs, CHUNK), progress)

    def run_inspect(self, options: ToolSuiteOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.engines.inspect_runner import run_left
        from sealegs.suites.tool_suite_task import task_of

        name = f"sealegs/{options.agent}" if options.agent else options.model

        def make(left: list[ToolEpisode]) -> Task:
            return task_of(self, left, options.max_steps, options.epochs)

        run_left(options, folder, self.schema, name, make, setup=options.model_setup)

    def sizes(self, options: ToolSuiteOptions) -> SizeRange | None:
        """The lengths of episodes, by the first and the last of the suite's scripted agents."""
        from sealegs.suites.run_sizes import opening_letters, scripted_sizes

        def opening(episode: ToolEpisode) -> int:
            return opening_letters((episode.instructions, episode.request), episode.specs)

        names = list(self.agents)
        if not names:
            return None
        return scripted_sizes(options, (names[0], names[-1]), self.run_scripted, self.schema, opening)

    def scripted_names(self) -> Collection[str]:
        """The suite's own scripted agents."""
        return tuple(self.agents)

    def scripted_reply(
        self, name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool
    ) -> ModelOutput:
        """The next message of a scripted agent."""
        from sealegs.suites.tool_suite_task import scripted_reply

        return scripted_reply(name, conversation, dict(about))

    def play_episode(self, episode: ToolEpisode, agent: str, max_steps: int) -> list[Event]:
        """Play one episode with a scripted agent; whatever happens, the events end with an end."""
        clock = VirtualClock()
        recorder = Recorder(clock)
        recorder.start(episode.id, self.facts(episode, {"agent": agent, "max_steps": max_steps}))
        try:
            tools = LedgeredTools(episode, recorder)
            session = open_session(episode, clock, recorder)
            take_turns(self.agents[agent](episode), session, tools.run, recorder, max_steps)
        except EndlessWait as error:
            recorder.finish("hung", detail=str(error))
        except (KeyboardInterrupt, UserError):
            raise
        except BaseException as error:  # an agent that breaks down, or exits, is a result, not the end of the run
            recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
        return recorder.events

    def _play_chunk(self, chunk: Sequence[ToolEpisode], agent: str, max_steps: int) -> list[list[str]]:
        return [[line(event) for event in self.play_episode(episode, agent, max_steps)] for episode in chunk]

    def tasks_digest(self, episode: ToolEpisode) -> str:
        """The digest that tells the tasks of an episode from other editions of them.

        Over all that its options' defaults name; a suite that takes tasks from elsewhere says itself what they are.
        """
        del episode
        return _digest_of_cases(self.options_type)

    def facts(self, episode: ToolEpisode, who: Mapping[str, Any]) -> dict[str, Any]:
        """The facts that a record notes of an episode when it begins."""
        plan = episode.plan.digest()
        return {
            "suite": self.name,
            "version": self.version,
            **edition_facts(edition(self.version, self.tasks_digest(episode))),
            "seed": episode.seed,
            "plan": plan,
            "episode": episode.model_dump(mode="json"),
            **who,
        }

    def judge(self, episode: ToolEpisode, record: Record) -> EpisodeResult:
        """Judge an episode by its record.

        Raises:
            LogError: the suite's judge broke down.
        """
        try:
            problem = episode.problem(record)
        except Exception as error:
            raise LogError(
                f"the judge of {self.name} failed on {episode.id}: {type(error).__name__}: {error}; fix `problem` "
                "and report again"
            ) from error
        return EpisodeResult(
            episode.task,
            episode.level,
            episode.mode,
            episode.epoch,
            success=not problem,
            exposed=record.exposed,
            repeated=repeated_effects(record),
            calls=len(record.own),
            reason=problem,
        )

    @property
    def schema(self) -> LogSchema[ToolEpisode]:
        """The schema of the suite's records."""
        return LogSchema(
            self.name, SETTINGS, self._episode_of, self._unrecorded, example=next(iter(self.agents), "planner")
        )

    def episode_from(self, facts: Any) -> ToolEpisode:
        """The episode that these facts are of.

        Raises:
            LogError: they do not belong to this version.
        """
        try:
            return self.episode_type.model_validate(facts)
        except ValidationError as error:
            raise LogError(f"{facts!r} is not an episode of {self.name}, version {self.version}") from error

    def _episode_of(self, record: Record, file: Path) -> ToolEpisode:
        try:
            episode = self.episode_from(record.about.get("episode"))
        except LogError as error:
            raise LogError(f"{file}: {error}") from error
        if record.about.get("version") != self.version:
            raise LogError(
                f"{file}: {record.episode} is of version {record.about.get('version')!r} of {self.name}, and version "
                f"{self.version!r} is installed; run it again, or install the other one"
            )
        check_edition(record, edition(self.version, self.tasks_digest(episode)), file)
        if record.about.get("plan") != episode.plan.digest():
            raise LogError(f"{file}: the faults of {record.episode} are not those of this version; run it again")
        return episode

    def _unrecorded(self, sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
        """A record that says so, for a sample that broke down before it could leave one."""
        about = sample.get("metadata", {})
        if about.get("suite") != self.name:
            raise LogError(f"{file}: sample {sample.get('id')} was not made by the suite {self.name!r}")
        episode = self.episode_from(about["episode"])
        who = {**agent_or_model(str(started.get("model"))), "max_steps": about["max_steps"]}
        detail = str((sample.get("error") or {}).get("message", "no record"))
        return [EpisodeStarted(episode.id, self.facts(episode, who)), EpisodeEnded("crashed", detail)]

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge runs; `against` is another run's logs, or the name of the suite's published rows."""
        judged, warnings = self._judged(logs)
        compared: list[Row] = []
        other_validity = InvalidCount()
        if self.published and against == self.published.name and not Path(against).exists():
            compared = self.published.rows(metric.name for metric in self.metrics)
        elif against:
            others, more = self._judged(Path(against))
            if len(judged) != 1 or len(others) != 1:
                raise LogError(f"one run can be compared with one; {logs} has {len(judged)}, {against} {len(others)}")
            (run,), (before,) = judged, others
            # The other run comes first: a difference is what this run has more than that one.
            one, other = ([result for result, _ in each.results] for each in (before, run))
            compared = suite_differences(one, other, self.metrics, run.who)
            other_validity = invalid_count(before.played)
            warnings += notes_on_other(against, more, compared)
        rows: list[Row] = []
        for run in judged:
            rows += suite_table([result for result, _ in run.results], self.metrics, run.who)
            rows += playing_rows(run.played, run.who)

        page = SuitePage(self.name, rows, [(run.who, run.results) for run in judged], warnings)

        def beside(console: Console) -> None:
            print_suite_table(compared, console)

        return RunReport(
            rows=rows,
            warnings=warnings,
            show=lambda console: print_suite_table(rows, console),
            page=lambda: render_suite_page(page, self.sections),
            beside=beside if compared else lambda _: None,
            compared=compared,
            validity=invalid_count([one for run in judged for one in run.played]),
            other_validity=other_validity,
        )

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge runs for a ranking, which is by the first of the suite's metrics that is a share."""
        from sealegs.suites.entrant_reading import EntrantForm, read_entrants

        scores = Scores(
            DESIGN,
            tuple(metric for metric in self.metrics if metric.kind != "amount"),
            level=lambda result: result.level,
            mode=lambda result: result.mode,
            epoch=lambda result: result.epoch,
            less_is_better=self.less_is_better,
        )
        form = EntrantForm(
            self.schema,
            lambda _: scores,
            lambda one: (one.level, one.mode, one.task),
            lambda one, _: (one.model_dump_json(exclude={"epoch"}), one.plan.digest()),
            lambda key: _player(self.name, key),
        )
        return read_entrants(logs, form, self.judge)

    def _judged(self, logs: Path) -> tuple[list[_JudgedRun], tuple[str, ...]]:
        """Every run of a folder with who played it and its judged records."""
        logged = read_logs(logs, self.schema)
        runs = []
        for key, found in logged.runs.items():
            who = _player(self.name, key)
            # Episodes end in another order in each run; tables and pages must not show it.
            ordered = sorted(found.items(), key=lambda item: (item[0].level, item[0].mode, item[0].task, item[0].epoch))
            results = [(self.judge(episode, record), record) for episode, record in ordered]
            every: dict[ToolEpisode, Record | str] = {**found, **logged.invalid[key]}
            played = [played_cell(one.level, one.mode, one.task, how) for one, how in every.items()]
            runs.append(_JudgedRun(who, results, played))
        for held in ([key[:2] for key in logged.runs], list(run_players(logs))):
            for (agent, model), count in Counter(held).items():
                if count > 1:
                    raise LogError(f"{logs} holds {count} runs of {agent or model}; name the folder of one of them")
        return runs, logged.warnings


def _player(suite: str, key: tuple[str, ...]) -> Row:
    agent, model, *_, tasks = key
    return player_row(suite, agent or model, tasks, scripted=bool(agent))


@cache
def _digest_of_cases(options: type[ToolSuiteOptions]) -> str:
    return contents_digest(text.encode() for text in sorted(map(case_text, options().cases())))
