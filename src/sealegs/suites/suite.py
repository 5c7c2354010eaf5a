"""A suite: one object that declares its options, plays its episodes, and reports on them.

`sealegs run` and `sealegs report` are made from it. A package registers its own under the entry point `sealegs.suites`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from sealegs.engines.folders import Progress
from sealegs.engines.logs import suite_of
from sealegs.faults.user_error import UserError
from sealegs.suites.choices import ChoiceError, unknown_name_problems
from sealegs.suites.run_options import RunOptions
from sealegs.suites.suite_reports import DetectionReport, RunReport, TraceGrades

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from sealegs.engines.logs import LogSchema
    from sealegs.engines.merging import MergeResult, ShardFolder
    from sealegs.engines.run_estimate import RunEstimate, SizeRange
    from sealegs.reports.page_sections import PageSection
    from sealegs.reports.review_tables import GradedReview
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.metric import AnyMetric
    from sealegs.scoring.trace_labels import Labels
    from sealegs.suites.published_rows import PublishedRows
    from sealegs.traces.chain_check import ChainFinding

GROUP = "sealegs.suites"
O = TypeVar("O", bound=RunOptions)  # noqa: E741 - the options of a suite
E = TypeVar("E")  # its episodes
K = TypeVar("K")  # what it keeps of an episode that was played: its record, as a rule
R = TypeVar("R")  # what its metrics count
E_contra = TypeVar("E_contra", contravariant=True)
K_contra = TypeVar("K_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class EpisodeJudge(Protocol[E_contra, K_contra, R_co]):
    """A judge of a suite's episodes."""

    def __call__(self, episode: E_contra, kept: K_contra, /) -> R_co:
        """Judge an episode.

        Args:
            episode: what was to be played.
            kept: its record, or what the suite keeps in a record's place.

        Returns:
            the result that the suite's metrics count.
        """


class RunView(Protocol):
    """The view of a suite while it plays."""

    def progress(self, label: str) -> AbstractContextManager[Progress]:
        """Show how many episodes are done, until the block ends or is interrupted."""

    def note(self, message: str) -> None:
        """Print a note that is not a result."""


class Suite(ABC, Generic[O, E, K, R]):
    """A benchmark, by the types of its options, its episodes, what is kept of each, and its judge's results.

    Attributes:
        name: what the command line calls it.
        summary: what it measures, in a sentence.
        reported_together: whether a folder may hold several of its runs, which one report is about.
        judged_ahead: whether large runs are judged in several processes.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reported_together: ClassVar[bool] = False
    judged_ahead: ClassVar[bool] = False

    @property
    @abstractmethod
    def options(self) -> type[O]:
        """The model of its options."""

    @property
    @abstractmethod
    def judge(self) -> EpisodeJudge[E, K, R]:
        """The judge of its episodes."""

    @property
    @abstractmethod
    def metrics(self) -> Sequence[AnyMetric[R]]:
        """The metrics that its rows are made of; what every run has beside them is in `scoring.invalid`."""

    @property
    @abstractmethod
    def sections(self) -> Sequence[PageSection[Any]]:
        """The sections of its page, in their order."""

    @abstractmethod
    def run_scripted(self, options: O, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect; keep each record in the folder as it ends."""

    @abstractmethod
    def run_inspect(self, options: O, folder: Path) -> None:
        """Play what is left of a run through Inspect; keep each sample in the folder as it ends."""

    @property
    def published(self) -> PublishedRows | None:
        """The published figures of the benchmark, shown beside its runs; None if there are none."""
        return None

    @property
    def schema(self) -> LogSchema[Any]:
        """The schema of the suite's records; a suite that keeps something else has a `merge` of its own.

        Raises:
            NotImplementedError: the suite does not say.
        """
        raise NotImplementedError(f"{self.name} does not say what its records hold")

    @property
    def example(self) -> str:
        """A command that makes a run of it, for messages."""
        return f"sealegs run {self.name} --agent {self.schema.example}"

    def merge(self, parts: Sequence[ShardFolder], out: Path) -> MergeResult:
        """Join the folders of a run's shards into the folder that the whole run would have.

        Args:
            parts: shards of one run, each once.
            out: the folder to make, or to add to.

        Raises:
            UserError: they contradict each other, or a file cannot be read or written.
        """
        from sealegs.engines.merging import merge_runs

        request = parts[0].note.asked
        options: Any = self.options(**{name: request[name] for name in self.options.model_fields if name in request})
        return merge_runs(parts, out, options, self.schema)

    def sizes(self, options: O) -> SizeRange | None:
        """The lengths of episodes, by the needs of scripted agents in a few; None where the suite cannot say."""
        return None

    def estimate(self, options: O, folder: Path) -> RunEstimate | None:
        """The estimate for the rest of a model's run; None where nothing gives one before some episodes are finished.

        Raises:
            UserError: the folder holds another run, or the prices cannot be read.
        """
        from sealegs.engines.folders import unfinished
        from sealegs.engines.inspect_prices import price_named, use_prices
        from sealegs.engines.run_estimate import finished_uses, from_finished, from_sizes

        use_prices(options.prices)
        try:
            left = len(unfinished(options, folder, self.schema))
        except NotImplementedError:  # episodes that are known only when the run begins
            return None
        found = from_finished(left, finished_uses(folder))
        if found is None and left and (size := self.sizes(options)):
            return from_sizes(left, size, price_named(options.model))
        return found

    def scripted_names(self) -> Collection[str]:
        """The names of the scripted agents that can play it as models of Inspect (`--model sealegs/NAME`)."""
        return ()

    def scripted_reply(
        self, name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool
    ) -> ModelOutput:
        """The next message of a scripted agent.

        Args:
            name: one of `scripted_names`.
            conversation: so far.
            about: the facts of the episode in the conversation's metadata.
            tools: whether tools are offered.

        Raises:
            ValueError: no scripted agent of this name plays the suite.
        """
        raise ValueError(f"{self.name} has no scripted agent {name!r}")

    def notes(self, options: O) -> Iterable[str]:
        """Say before a run what a user might not expect of it, a sentence each."""
        return ()

    def play(self, options: O, folder: Path, view: RunView) -> None:
        """Play what is left of a run.

        Raises:
            UserError: the run cannot be made here, or the folder holds another one.
        """
        if options.engine == "inspect":
            self.run_inspect(options, folder)
            return
        for note in self.notes(options):
            view.note(note)
        with view.progress(f"{options.label} on {self.name}") as progress:
            self.run_scripted(options, folder, progress)

    def holds(self, logs: Path) -> bool:
        """Return whether a folder holds a run of the suite although no record in it says so."""
        return False

    def verify(self, logs: Path) -> list[ChainFinding]:
        """Check whether the records of a run are whole and unaltered.

        Args:
            logs: a run's folder, or a file of records.

        Raises:
            UserError: there are none, or they cannot be read.
        """
        from sealegs.traces.chain_check import check_chains

        return check_chains(logs)

    def grade(self, logs: Path, grader: str, model: str) -> TraceGrades:
        """Grade each trace of runs, question by question.

        Args:
            logs: a folder, a file of records, or an Inspect log.
            grader: `code` or `model`.
            model: the model that grades, as Inspect names it; empty for `code`.

        Raises:
            UserError: the suite has no such questions, there is no such grader, or something cannot be read.
        """
        raise UserError(
            f"{self.name} has no questions to grade traces by: it judges an episode as a whole, and "
            f"`sealegs report {logs}` shows its verdicts"
        )

    @property
    def label_sets(self) -> Mapping[str, Callable[[], Labels]]:
        """The labels of traces that ship with it, by the names that `sealegs grade agree` knows them by."""
        return {}

    def holds_review(self, folder: Path) -> bool:
        """Return whether a folder holds a review of its tasks."""
        return False

    def grade_review(self, folder: Path) -> GradedReview:
        """Grade the replies of a review of its tasks.

        Args:
            folder: of the review.

        Raises:
            UserError: its tasks are not reviewed, or there is nothing to grade.
        """
        raise UserError(f"the tasks of {self.name} are not reviewed, so {folder} holds no replies about them")

    def measure_detection(
        self, more: str, limit: int | None, epochs: int, seed: int, recover: bool, out: Path | None, progress: Progress
    ) -> DetectionReport:
        """Measure learned detectors on implicit faults; what is finished is kept, and not measured again.

        Args:
            more: a folder of further tasks to learn from; empty for none.
            limit: at most this many base tasks of each level.
            epochs: how many times each faulty episode is run.
            seed: decides all that is drawn.
            recover: whether what recovery achieves with them is measured, too.
            out: the folder of finished parts; None for the usual one.
            progress: called with how many episodes are done.

        Raises:
            UserError: detectors are not measured on the suite, or a folder cannot be used.
        """
        raise UserError(f"detectors are not measured on {self.name}")

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge finished episodes for a ranking: what is kept of each is its few numbers.

        Args:
            logs: a run's folder, a file of records, or an Inspect log.

        Returns:
            an entrant for each agent or model and each of its settings.

        Raises:
            UserError: the suite ranks nothing, there is nothing to read, or something that cannot be read.
        """
        raise UserError(f"{logs} is a run of {self.name}, which does not define how its runs are ranked; leave it out")

    @abstractmethod
    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge finished episodes.

        Args:
            logs: a run's folder, a file of records, or an Inspect log.
            against: what to put beside them: another run's logs, or the name of published rows.

        Raises:
            UserError: there is nothing to read, something that cannot be read, or nothing to put beside it.
        """


AnySuite = Suite[Any, Any, Any, Any]


@cache
def suites() -> Mapping[str, AnySuite]:
    """Every suite that is installed, by name.

    Raises:
        TypeError: an entry point does not hold a suite.
    """
    found: dict[str, AnySuite] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name in found:
            raise UserError(f"two installed packages bring a suite named {point.name!r}; remove one of them")
        try:
            suite = point.load()
        except Exception as error:
            raise UserError(
                f"the suite {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {error}; fix "
                "or remove its package"
            ) from error
        if not isinstance(suite, Suite):
            raise TypeError(f"the entry point {point.name!r} of {GROUP} holds {suite!r}, which is not a Suite")
        if suite.name != point.name or not re.fullmatch(r"[a-z][a-z0-9_-]*", suite.name):
            raise UserError(
                f"the entry point {point.name!r} of {GROUP} holds a suite named {suite.name!r}; give both one name of "
                "lower-case letters, digits, - and _"
            )
        found[suite.name] = suite
    return found


def suites_with(method: Callable[..., Any]) -> dict[str, AnySuite]:
    """The suites with a form of their own of a method which `Suite` itself refuses (`Suite.grade`), by name."""
    name = method.__name__
    return {one: suite for one, suite in suites().items() if getattr(type(suite), name) is not method}


def suite_named(name: str) -> AnySuite:
    """The suite of this name.

    Raises:
        ChoiceError: none is installed under it.
    """
    if problems := unknown_name_problems("suite", [name], suites()):
        raise ChoiceError("; ".join(problems))
    return suites()[name]


def suite_holding(logs: Path, command: str) -> AnySuite:
    """The suite whose runs are there.

    Args:
        logs: a folder or a file.
        command: one that would make some, for messages.

    Raises:
        UserError: they are of no suite that is installed, or nothing can be read.
    """
    found = known_holder(logs) or suites().get(suite_of(logs, command))
    if found is None:
        raise UserError(f"{logs} holds no run of an installed suite ({', '.join(suites())}); name the folder of one")
    return found


def known_holder(logs: Path) -> AnySuite | None:
    """The suite that knows the folder as its own although no record in it says so."""
    return next((suite for suite in suites().values() if suite.holds(logs)), None)


def suite_reviewed_in(folder: Path) -> AnySuite:
    """The suite whose tasks are reviewed in a folder.

    Raises:
        UserError: there is no review of an installed suite.
    """
    found = next((suite for suite in suites().values() if suite.holds_review(folder)), None)
    if found is None:
        begins = " or ".join(
            f"`sealegs {name} review {folder} --reviewer NAME`" for name in suites_with(Suite.grade_review)
        )
        raise UserError(f"{folder} holds no review; {begins} begins one")
    return found
