"""Reading what was played of an eval: Inspect's own logs, each sample with its record and the value of its score.

An episode that appears more than once counts by its last appearance, and by its last valid one where there is any. What
makes a sample invalid is decided here too: an end outside agent and tools, a scorer that failed or gave no value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sealegs.engines.logs import OF_SUITE, SETTINGS, LogError, agent_or_model, log_files
from sealegs.engines.shards import Shard, absent_shards_note, read_shard_note
from sealegs.faults.user_error import one_line
from sealegs.scoring.metric import Row, player_row
from sealegs.suites.inspect_eval.options import CLEAN, VERSION
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import Event, Record, StoreError, build_record
from sealegs.traces.inspect_logs import SUFFIX, sample_events, samples

SUITE = "inspect"
WITHOUT_FAULT = "unstruck"  # in a run's settings: by mode the episodes in which nothing can be struck
FAULT_MODES = "fault_modes"  # in a run's settings: the modes in which faults strike
FIELDS = ("id", "epoch", "input", "scores")  # what is read of a sample, besides its record
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class EvalEpisode(NamedTuple):
    """The mode, sample and epoch that identify an episode."""

    mode: str
    sample: str
    epoch: int


@dataclass(frozen=True)
class PlayedEpisode:
    """A finished sample.

    Attributes:
        episode: which it is.
        record: what happened; None where the sample ended before its solver began.
        events: of the record.
        value: of its score; None where there is none.
        invalid: why it says nothing of the agent; empty where it does.
        input: the agent's input.
    """

    episode: EvalEpisode
    record: Record | None
    events: tuple[Event, ...]
    value: float | None
    invalid: str
    input: str


@dataclass(frozen=True)
class EvalLogs:
    """The logs of a run, as they were read.

    Attributes:
        facts: the facts in the run's logs: the task, the player, the score that counts as solved.
        played: by episode.
        without_fault: the episodes that are not played because nothing in them can be struck.
        planned: the samples and epochs of the run; empty where its folder does not say.
        modes: those of the run; where its folder does not say, those that were played.
        scores: the scores by which episodes were valued.
        known_scores: all scores that the samples have.
        warnings: what reading had to leave out.
    """

    facts: Mapping[str, Any]
    played: Mapping[EvalEpisode, PlayedEpisode]
    without_fault: frozenset[EvalEpisode]
    planned: tuple[tuple[str, int], ...]
    modes: tuple[str, ...]
    scores: tuple[str, ...]
    known_scores: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def who(self) -> Row:
        """Suite, and agent or model, of the long table."""
        suite = f"{SUITE}:{self.facts['task']}"
        agent, model = self.facts.get("agent"), self.facts.get("model")
        return player_row(suite, str(agent or model), str(self.facts.get(TASK_SET) or ""), scripted=bool(agent))

    @property
    def valid(self) -> dict[EvalEpisode, PlayedEpisode]:
        """The episodes that say something of the agent."""
        return {key: one for key, one in self.played.items() if not one.invalid}


def read_eval_logs(path: Path) -> EvalLogs:
    """A run, from its folder or one of its logs.

    Raises:
        LogError: there is nothing to read, something that cannot be read, or more than one run.
    """
    warnings: list[str] = []
    facts: dict[str, Any] = {}
    played: dict[EvalEpisode, PlayedEpisode] = {}
    scores: dict[str, None] = {}
    known: dict[str, None] = {}
    for file in log_files(path, "sealegs run inspect --task inspect_evals/tau2_airline --model openai/gpt-5"):
        if file.suffix != SUFFIX:
            continue
        state = file.stat()
        found = _log_episodes(file, state.st_size, state.st_mtime_ns)
        warnings += found.warnings
        known |= dict.fromkeys(found.scores)
        for noted, name, one in found.episodes:
            facts = _same_run(facts, noted, path)
            scores |= {name: None} if name else {}
            # A later log repeats what was invalid before; an invalid repetition must not take the place of a valid
            # episode.
            if not one.invalid or one.episode not in played or played[one.episode].invalid:
                played[one.episode] = one
    if not played:
        raise LogError(f"{path} holds no finished episode" + "".join(f"; {warning}" for warning in warnings))
    settings = _run_settings(path)
    without_fault = frozenset(
        EvalEpisode(mode, *one) for mode, own in settings.get(WITHOUT_FAULT, {}).items() for one in own
    )
    epochs = range(1, int(settings.get("epochs") or 1) + 1)
    planned = tuple((str(sample), epoch) for sample in _planned_samples(path, settings) for epoch in epochs)
    modes = tuple(dict.fromkeys((*(key.mode for key in played), *settings.get(FAULT_MODES, ()))))
    warnings += absent_shards_note([path if path.is_dir() else path.parent])
    return EvalLogs(facts, played, without_fault, planned, modes, tuple(scores), tuple(known), tuple(warnings))


class _LogEpisodes(NamedTuple):
    """The episodes of one log, each with what the log notes of the run and the name of the score; and all scores."""

    episodes: tuple[tuple[dict[str, Any], str, PlayedEpisode], ...]
    scores: tuple[str, ...]
    warnings: tuple[str, ...]


@lru_cache(maxsize=256)
def _log_episodes(file: Path, size: int, changed: int) -> _LogEpisodes:
    """The episodes of a log; its size and time of change are there because a log is read once as it is."""
    warnings: list[str] = []
    found: list[tuple[dict[str, Any], str, PlayedEpisode]] = []
    scores: dict[str, None] = {}
    try:
        for sample, started in samples(file, warnings, fields=FIELDS):
            noted = (started.get("metadata") or {}).get(OF_SUITE)
            if not isinstance(noted, dict) or noted.get("suite") != SUITE:
                raise LogError(f"{file} is an Inspect log that `sealegs run inspect` did not make; name another")
            scores |= dict.fromkeys(_score_names(sample.get("scores") or {}))
            name, value = chosen_score(sample.get("scores") or {}, str(noted.get("score") or ""))
            found.append((noted, name, _played(sample, noted, value, file)))
    except StoreError as error:
        raise LogError(str(error)) from error
    return _LogEpisodes(tuple(found), tuple(scores), tuple(warnings))


def _same_run(facts: dict[str, Any], noted: dict[str, Any], path: Path) -> dict[str, Any]:
    """The facts in which all logs of a run agree."""
    # One log is of one mode and of some of the epochs; all else is of the run.
    own = {key: value for key, value in noted.items() if key not in ("mode", "first")}
    if facts and own != facts:
        differing = next(key for key in {*own, *facts} if own.get(key) != facts.get(key))
        raise LogError(
            f"{path} holds several runs ({differing} is {facts.get(differing)!r} and {own.get(differing)!r}); name the "
            "folder of one of them"
        )
    if own.get("version") != VERSION:
        raise LogError(
            f"{path} is of version {own.get('version')!r} of the suite, and {VERSION!r} is installed; run it again"
        )
    return own


def _run_settings(path: Path) -> dict[str, Any]:
    """Return the settings of the run's folder; empty where only a log is there."""
    file = (path if path.is_dir() else path.parent) / SETTINGS
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def own_samples(samples: Sequence[str], part: Shard | None) -> list[str]:
    """The samples that a command plays: all, or those of its shard."""
    return list(samples) if part is None else part.among(samples, str)


def _planned_samples(path: Path, settings: Mapping[str, Any]) -> list[str]:
    """The samples that the run, or the shard, of a folder is to have."""
    note = read_shard_note(path if path.is_dir() else path.parent)
    return own_samples([str(sample) for sample in settings.get("samples", ())], note.place if note else None)


def _played(sample: Mapping[str, Any], noted: Mapping[str, Any], value: float | None, file: Path) -> PlayedEpisode:
    key = EvalEpisode(str(noted["mode"]), str(sample["id"]), int(noted["first"]) + int(sample["epoch"]) - 1)
    events = sample_events(sample)
    try:
        record = None if events is None else build_record(events)
    except ValueError as error:
        raise LogError(f"{file}: sample {key.sample} holds a record that cannot be read ({error})") from error
    text = sample.get("input")
    return PlayedEpisode(
        key,
        record,
        tuple(events or ()),
        value,
        _why_invalid(sample, record, value),
        text if isinstance(text, str) else json.dumps(text),
    )


def _why_invalid(sample: Mapping[str, Any], record: Record | None, value: float | None) -> str:
    """The reason why a sample says nothing of the agent; empty where it says something.

    An exception from the eval's agent is the agent's own end. One before it began, or after it had ended, is not; nor
    is what the record notes as from outside.
    """
    error = (sample.get("error") or {}).get("message") or ""
    if record is None:
        return f"the sample ended before its agent began: {one_line(error) or 'no record'}"
    # Before the end of the record: what failed outside may show as a crash of the agent.
    if record.outside:
        return record.outside
    if record.end.reason == "crashed":
        return ""
    if error:
        return f"the sample failed after its agent had ended: {one_line(error)}"
    return "the scorer gave no value" if value is None else ""


def chosen_score(scores: Mapping[str, Any], wanted: str) -> tuple[str, float | None]:
    """The score that says what is solved, and its value as a number; None where it has none.

    Args:
        scores: of a sample, as Inspect logs them.
        wanted: `SCORER` or `SCORER.KEY`; the first scorer and its first key where it is left out.
    """
    for name, score in scores.items():
        scorer, key = (name, "") if wanted in ("", name) else (name, wanted.removeprefix(f"{name}."))
        # Nothing was taken off: the name that is wanted does not begin with this scorer's.
        if wanted and key == wanted:
            continue
        value = score.get("value")
        if isinstance(value, Mapping):
            key = key or next(iter(value), "")
            if key not in value:
                continue
            return f"{scorer}.{key}", as_number(value.get(key))
        if isinstance(value, list):
            return scorer, as_number(value[0] if value else None)
        return scorer, as_number(value)
    return "", None


def _score_names(scores: Mapping[str, Any]) -> Iterator[str]:
    """The names of each score of a sample for `--score`."""
    for name, score in scores.items():
        value = score.get("value")
        yield from (f"{name}.{key}" for key in value) if isinstance(value, Mapping) else (name,)


def as_number(value: Any) -> float | None:
    """A score's value as Inspect counts it (C, P, I, N, yes, no and numbers); None for anything else."""
    if isinstance(value, str):
        # The letters count as they are, the words in any case.
        if value in LETTERS or value.lower() in LETTERS:
            return LETTERS.get(value, LETTERS.get(value.lower()))
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return float(value)
    return None


def played_by(agent: str, model: str) -> dict[str, str]:
    """The agent or the model that played, as records note it."""
    return {"agent": agent} if agent else agent_or_model(model)


def finished(logs: EvalLogs | None, mode: str) -> set[tuple[str, int]]:
    """The valid episodes of a mode, by sample and epoch."""
    return set() if logs is None else {(key.sample, key.epoch) for key in logs.valid if key.mode == mode}


def clean_records(logs: EvalLogs) -> dict[tuple[str, int], Record]:
    """The records of the valid clean episodes, by sample and epoch."""
    found = {(key.sample, key.epoch): one.record for key, one in logs.valid.items() if key.mode == CLEAN}
    return {key: record for key, record in found.items() if record is not None}
