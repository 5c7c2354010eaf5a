"""Figures of the shipped tasks and tools, each beside that of the published corpus.

A path is one choice of branches, whatever the order of its calls; its length is its number of calls. The similarity of
a level is the mean Jaccard index over all pairs of its tasks' tool sets (all branches).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from sealegs.reports import published
from sealegs.scenarios import LEVELS
from sealegs.scenarios.task_figures import graph_path_lengths
from sealegs.scenarios.task_sets import base_tasks
from sealegs.scenarios.wordings import SECOND, Phrasing, shared_words, translated_tasks
from sealegs.scoring.metric import ALL, Row
from sealegs.suites.maze.retrieval import STATED_K, ReverseCheck, reverse_check
from sealegs.tasks import Task
from sealegs.tasks.similarity import mean_similarity
from sealegs.world.corpus import Corpus, load_corpus
from sealegs.world.shortlist import Shortlist


@dataclass(frozen=True)
class Figures:
    """The figures of a set of tasks.

    Attributes:
        corpus: part -> name -> count, as in the published table 4.
        levels: figure -> level -> value, as in the published table 1.
        tasks: how many there are.
        histories: how many history tools show what the actions did; no other figure counts them.
        wordings: the share of the words of a task's two requests that are in both, by the task's id.
        translated: how many tasks have requests in all languages.
        retrieval: where a retrieval baseline, from the requests alone, puts the tools of each task.
    """

    corpus: Mapping[str, Mapping[str, int]]
    levels: Mapping[str, Mapping[str, float]]
    tasks: int
    histories: int
    wordings: Mapping[str, float]
    translated: int
    retrieval: ReverseCheck

    def pairs(self) -> Iterator[tuple[str, str, str]]:
        """What, ours and theirs, line by line."""
        theirs = published.published_corpus()
        for part, names in self.corpus.items():
            for name, count in names.items():
                yield _words(part, name), str(count), str(theirs[part][name])
        for figure, values in self.levels.items():
            published_values = published.corpus_by_level()[figure]
            ours, known = (" / ".join(f"{own[level]:.3g}" for level in LEVELS) for own in (values, published_values))
            yield figure, ours, known

    def notes(self) -> str:
        """The facts that the table cannot show."""
        failing, shares = self._failing(), self.wordings.values()
        listed = "; ".join(f"{task}: {', '.join(tools)}" for task, tools in failing.items())
        half, most = (self.retrieval.k(share) for share in (0.5, 0.9))
        tools, share = self.corpus["total"]["tools"], self._share()
        return (
            f"Figures with slashes are of C1 / C2 / C3 / C4, {self.tasks} tasks in all.\n"
            f"{self.histories} history tools, which show what the actions did, are kept apart: no figure counts them.\n"
            f"From the request alone, BM25 and the flow of data find all tools of a solution among the {STATED_K}\n"
            f"likeliest of {tools} for {share:.1f} % of the tasks (half of them need {half}, nine in ten {most}).\n"
            f"Not so for {len(failing)}: {listed or 'none'}.\n"
            f"The two requests of a task share {mean(shares):.1f} % of their words, values aside, and at most\n"
            f"{max(shares):.1f} %; {self.translated} tasks also have requests in German, Spanish and Chinese."
        )

    def _failing(self) -> dict[str, dict[str, int]]:
        """The tasks that the stated list does not cover: the tools that are beyond it, with their places."""
        return {found.task: dict(found.missed(STATED_K)) for found in self.retrieval.failing(STATED_K)}

    def _share(self) -> float:
        return 100 * (1 - len(self._failing()) / self.tasks)

    def about(self) -> dict[str, Any]:
        """The figures as one object."""
        retrieval = {"k": STATED_K, "share": self._share(), "failing": self._failing()}
        retrieval |= {"k_for_half": self.retrieval.k(0.5), "k_for_nine_in_ten": self.retrieval.k(0.9)}
        return {
            "tools": self.corpus["total"]["tools"],
            "groups": self.corpus["total"]["alternative groups"],
            "history_tools": self.histories,
            "tasks": self.tasks,
            "categories": dict(self.corpus["category"]),
            "domains": dict(self.corpus["domain"]),
            "kinds": dict(self.corpus["group"]),
            "levels": {name: dict(values) for name, values in self.levels.items()},
            "published": {"corpus": published.published_corpus(), "levels": published.corpus_by_level()},
            "retrieval": retrieval,
            "words_in_both": {"mean": mean(self.wordings.values()), "max": max(self.wordings.values())},
            "translated": self.translated,
        }

    def rows(self) -> list[Row]:
        """Every figure in the long table, ours and the published."""
        both = (
            ("sealegs", self.corpus, self.levels),
            ("toolmaze", published.published_corpus(), published.corpus_by_level()),
        )
        rows: list[Row] = []
        for who, corpus, levels in both:
            rows += [
                _row(who, ALL, _words(part, name), count)
                for part, names in corpus.items()
                for name, count in names.items()
            ]
            rows += [_row(who, level, name, v) for name, values in levels.items() for level, v in values.items()]
        rows.append(_row("sealegs", ALL, "history tools, counted apart", self.histories))
        rows.append(_row("sealegs", ALL, "words in both requests, %", mean(self.wordings.values())))
        rows.append(_row("sealegs", ALL, "words in both requests at most, %", max(self.wordings.values())))
        rows.append(_row("sealegs", ALL, "tasks in four languages", self.translated))
        return [*rows, _row("sealegs", ALL, f"tasks whose tools are among the {STATED_K} likeliest, %", self._share())]


def _words(part: str, name: str) -> str:
    return {"category": f"{name} tools", "domain": f"{name} tools", "group": f"{name} groups"}.get(part, name)


def _row(who: str, level: str, metric: str, value: float) -> Row:
    row: Row = {"suite": "maze", "agent": who, "level": level, "mode": ALL, "metric": metric}
    return {**row, "value": round(value, 4), "low": None, "high": None, "n": 1}


def figures() -> Figures:
    """The figures of the tasks and tools that ship with the suite."""
    tasks, corpus = base_tasks(), load_corpus()
    found = reverse_check(tasks, Shortlist(corpus))
    second = {id: 100 * shared_words(task, Phrasing(SECOND)) for id, task in tasks.items()}
    counts = len(tasks), len(corpus.histories)
    return Figures(_corpus(corpus), _levels(list(tasks.values())), *counts, second, len(translated_tasks()), found)


def _corpus(corpus: Corpus) -> dict[str, dict[str, int]]:
    """Our counts in the order and by the names of the published table."""
    found = {
        "category": Counter(tool.category for tool in corpus.tools.values()),
        "domain": Counter(tool.domain for tool in corpus.tools.values()),
        "group": Counter(group.kind for group in corpus.groups.values()),
        "total": Counter({"tools": len(corpus.tools), "alternative groups": len(corpus.groups)}),
    }
    return {
        part: {name: found[part][name.lower()] for name in names}
        for part, names in published.published_corpus().items()
    }


def _levels(tasks: Sequence[Task]) -> dict[str, dict[str, float]]:
    by_level = {level: [task for task in tasks if task.level == level] for level in LEVELS}
    return {
        name: {level: _figure(name, own) for level, own in by_level.items()} for name in published.corpus_by_level()
    }


def _figure(name: str, tasks: Sequence[Task]) -> float:
    """One figure of the published table 1, for tasks of one level."""
    lengths = [length for task in tasks for length in graph_path_lengths(task.graph)]
    if name.startswith("tasks naming "):
        domain = name.removeprefix("tasks naming ").split(" (")[0].lower()
        return sum(domain in task.domains for task in tasks)
    return {
        "mean Jaccard similarity of tool sets": mean_similarity(tasks),
        "average path length": mean(lengths),
        "minimum path length": min(lengths),
        "maximum path length": max(lengths),
        "valid paths (whole level)": len(lengths),
    }[name]
