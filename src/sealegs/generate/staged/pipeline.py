"""Items through the stages, each stage's results on disk, until each level has its number.

Item number n of a level is a function of seed, level, n and the models' answers. A stopped run is resumed by the same
command: an item is taken up at the first stage that has no result for it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from inspect_ai.model import Model

from sealegs.engines.journal import Journal
from sealegs.generate.staged.generation_stages import Stages
from sealegs.generate.staged.model_queries import PromptedModel, RejectedItem, StageTranscript, model_named
from sealegs.generate.task_dataset import GenerationYield, write_dataset
from sealegs.tasks.similarity import SeenToolSets, tools_of
from sealegs.tasks.yaml_tasks import tasks_of
from sealegs.traces.folder_lock import locks_folder
from sealegs.world.corpus import Corpus, load_corpus

STAGES = ("sample", "architect", "meaning", "space", "specification", "request", "reverse", "corruption")
PATIENCE = 5  # items begun for each task wanted, at most
NEAREST = 0.5
Progress = Callable[[int, int], None]
Stage = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


@locks_folder("out")
def generate_with_models(
    levels: Sequence[str],
    per_level: int,
    seed: int,
    out: Path,
    model: str | Model,
    judge_model: str | Model,
    tries: int,
    progress: Progress,
    stages: Mapping[str, Stage] | None = None,
) -> GenerationYield:
    """Make tasks with models until each level has its number, or five items for each task wanted have been begun.

    Args:
        model, judge_model: what makes, and what validates independently.
        tries: how often a bad answer is requested again.
        stages: your own stages by name, in place of those that are here.

    Raises:
        UserError: a model cannot be used, or the folder holds another run.
    """
    maker = PromptedModel(model if isinstance(model, Model) else model_named(model), tries)
    judge = PromptedModel(judge_model if isinstance(judge_model, Model) else model_named(judge_model), tries)
    run = _Run(
        load_corpus(), Stages(load_corpus(), maker, judge, seed), levels, per_level, seed, out, stages or {}, progress
    )
    asyncio.run(run.all())
    result = GenerationYield(str(maker.model), run.tasks, run.tried, run.fell, run.cost())
    write_dataset(out, result, run.settings)
    return result


class _Run:
    def __init__(
        self,
        corpus: Corpus,
        found: Stages,
        levels: Sequence[str],
        per_level: int,
        seed: int,
        out: Path,
        own: Mapping[str, Stage],
        progress: Progress,
    ) -> None:
        self.corpus, self.levels, self.per_level, self.progress = corpus, levels, per_level, progress
        self.settings = {
            "engine": "model",
            "model": str(found.maker.model),
            "judge_model": str(found.judge.model),
            "levels": list(levels),
            "per_level": per_level,
            "tries": found.maker.tries,
            "seed": seed,
        }
        self.stages: dict[str, Stage] = {name: own.get(name, getattr(found, name)) for name in STAGES}
        self.journals = {
            name: Journal(out / "stages" / f"{number}-{name}.jsonl", self.settings)
            for number, name in enumerate(STAGES, 1)
        }
        self.known: dict[tuple[str, str, int], dict[str, Any]] = {
            (name, entry["level"], entry["number"]): entry
            for name, journal in self.journals.items()
            for entry in journal.entries
        }
        self.tasks: list[dict[str, Any]] = []
        self.tried: dict[str, int] = {}
        self.fell: Counter[tuple[str, str]] = Counter()
        self._seen = SeenToolSets()

    async def all(self) -> None:
        for level in self.levels:
            begun = accepted = 0
            while accepted < self.per_level and begun < PATIENCE * self.per_level:
                # No more at a time than are missing: what is made beyond these is paid for and thrown away.
                batch = range(begun, min(begun + self.per_level - accepted, PATIENCE * self.per_level))
                for item in await asyncio.gather(*(self._item(level, number) for number in batch)):
                    accepted += self._sorted(level, item, accepted)
                begun = batch.stop
                self.progress(len(self.tasks), self.per_level * len(self.levels))

    async def _item(self, level: str, number: int) -> dict[str, Any]:
        """One item through all stages, or up to the one where it falls."""
        item: dict[str, Any] = {"level": level, "number": number}
        for name in STAGES:
            entry = self.known.get((name, level, number)) or await self._stage(name, item)
            if "fell" in entry:
                return {**item, "fell_at": name, "reason": entry["fell"]}
            item |= entry["result"]
        return item

    async def _stage(self, name: str, item: Mapping[str, Any]) -> dict[str, Any]:
        talk = StageTranscript()
        entry: dict[str, Any] = {"level": item["level"], "number": item["number"]}
        try:
            entry["result"] = await self.stages[name]({**item, "talk": talk})
        except RejectedItem as error:
            entry["fell"] = str(error)
        entry["talk"] = {name: value for name, value in asdict(talk).items() if value}
        self.journals[name].append(entry)
        return entry

    def cost(self) -> dict[str, int]:
        """The cost of all models' answers, over every stop of the run: calls, tokens, bad answers by reason."""
        talks = [entry["talk"] for journal in self.journals.values() for entry in journal.entries]
        names = [field.name for field in fields(StageTranscript) if field.name != "bad"]
        bad = Counter(name for talk in talks for name in talk.get("bad", ()))
        total = {name: sum(talk.get(name, 0) for talk in talks) for name in names}
        return total | {f"bad answers: {name}": count for name, count in sorted(bad.items())}

    def _sorted(self, level: str, item: Mapping[str, Any], accepted: int) -> int:
        """Count an item where it belongs; 1 where it is a task of the set."""
        self.tried[level] = self.tried.get(level, 0) + 1
        if "fell_at" in item:
            self.fell[level, str(item["fell_at"])] += 1
            return 0
        task = tasks_of([item["task"]], self.corpus.groups)[0]
        tools = tools_of(task)
        if self._seen.nearest(tools)[0] > NEAREST:
            self.fell[level, "duplicate"] += 1
            return 0
        id = f"{level.lower()}-m{accepted + 1:04d}"
        self._seen.add(id, tools)
        self.tasks.append({**item["task"], "id": id})
        return 1
