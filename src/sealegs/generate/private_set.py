"""A private set of tasks: fresh, matched to the tasks that ship, and known to nobody without its folder.

Each task is matched to one that ships, and of several candidates for each place those are chosen whose figures together
are nearest to the shipped ones. Who knows the seed can make the set again. It is drawn from the system's entropy, and
is written into one file of the folder that its owner alone may read; neither tasks, card nor journal hold it.

Rules word the requests, longer and stiffer than people do. So the folder also holds, in `public`, the shipped tasks as
the same rules word them. These are the other side of a comparison, and the figures are matched to theirs.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sealegs.engines.journal import Journal
from sealegs.engines.shards import open_shard_folder
from sealegs.engines.workers import WorkerPool
from sealegs.faults import seeds
from sealegs.faults.user_error import UserError
from sealegs.generate.rules.engine import JOURNAL
from sealegs.generate.rules.matched_choice import MatchedChoice
from sealegs.generate.rules.matched_tasks import CANDIDATES, MatchedCandidates, make_candidates
from sealegs.generate.rules.rewording import reworded
from sealegs.generate.task_dataset import CARD, task_lines
from sealegs.scenarios.task_figures import set_figures
from sealegs.scenarios.task_sets import PRIVATE, PRIVATE_VERSION, PUBLIC, TASKS, TaskSet, task_set
from sealegs.tasks import Task
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.tasks.yaml_tasks import task_data, tasks_of
from sealegs.traces.atomic_files import make_folder, write_atomically
from sealegs.traces.folder_lock import LOCK_FILE, locks_folder
from sealegs.world.corpus import load_corpus

SEED = "seed"  # the file
BITS = 128
OWNER = 0o600
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PrivateSet:
    """The private set that was made.

    Attributes:
        tasks: the set.
        tried: attempts by level.
        unmatched: shipped tasks that nothing like them could be made of; another candidate is in their place.
    """

    tasks: TaskSet
    tried: Mapping[str, int]
    unmatched: Sequence[str]


@locks_folder("out")
def make_private_set(
    levels: Sequence[str],
    per_level: int | None,
    seed: int | None,
    out: Path,
    progress: Progress,
    jobs: int | None = None,
) -> PrivateSet:
    """Make a set, resume a stopped one, or read a finished one.

    Args:
        levels: of the tasks.
        per_level: tasks of each; as many as ship by default.
        seed: decides everything; drawn from the system's entropy by default, once for a folder.
        out: the folder.
        progress: called with for how many places candidates are made, and the total.
        jobs: processes; all cores by default.

    Raises:
        UserError: the folder holds another set, or a level has too few candidates.
    """
    open_shard_folder(out, None)
    secret = _seed(out, seed)
    settings = {"engine": "private", "matched": task_set().edition, "levels": list(levels), "per_level": per_level}
    # Only a digest: who knows the seed can make the set, which is to stay private.
    settings |= {"seed_digest": f"{seeds.digest('private', secret):016x}", "candidates": CANDIDATES}
    keys = {level: _places(level, per_level, secret) for level in levels}
    journal = Journal(out / JOURNAL, settings)
    found = {entry["key"]: MatchedCandidates(**entry) for entry in journal.entries}
    every = [key for own in keys.values() for key in own]
    progress(len(found), len(every))
    with WorkerPool(jobs or os.cpu_count() or 1) as pool:
        try:
            # What was made is kept at once, so that a stopped run loses no more than what was under way.
            for made in pool.map(_made, [(key, secret) for key in every if key not in found]):
                journal.append(asdict(made))
                found[made.key] = made
                progress(len(found), len(every))
        finally:
            pool.shutdown()
    chosen = [task for level in levels for task in _level_tasks(level, [found[key] for key in keys[level]], secret)]
    tried = {level: sum(found[key].tried for key in keys[level]) for level in levels}
    unmatched = [key.partition("/")[0] for key in every if not found[key].tasks]
    models = dict.fromkeys(key.partition("/")[0] for key in every)
    _write(out, chosen, tried, [task for task in task_set().tasks.values() if task.id in models])
    # It may have been read when the folder was not finished.
    task_set.cache_clear()
    return PrivateSet(task_set(str(out.resolve())), tried, unmatched)


def _made(place: tuple[str, str]) -> MatchedCandidates:
    return make_candidates(*place)


def _seed(out: Path, given: int | None) -> str:
    """The folder's seed, drawn where there is none yet."""
    file = out / SEED
    if not file.exists():
        if out.is_dir() and any(one.name != LOCK_FILE for one in out.iterdir()):
            raise UserError(f"{out} is not empty and holds no private set; name another folder with --out")
        make_folder(out, "name another with --out")
        # Before there is a seed, so that nobody else could read it in between.
        if os.name == "posix":
            out.chmod(0o700)
        drawn = str(secrets.randbits(BITS) if given is None else given)
        write_atomically(file, drawn + "\n", "name another folder with --out", OWNER, keep=True)
        # A set that is committed by mistake is private no more.
        write_atomically(out / ".gitignore", "*\n", "name another folder with --out")
    found = file.read_text(encoding="utf-8").strip()
    if given is not None and found != str(given):
        raise UserError(f"{out} holds a private set of another seed; name another folder with --out")
    return found


def _places(level: str, per_level: int | None, seed: str) -> list[str]:
    """`ID/ROUND` of the shipped tasks that tasks are matched to, in an order that does not tell which is which."""
    own = [task.id for task in task_set().tasks.values() if task.level == level]
    draw = seeds.stream("private places", seed, level)
    wanted, found = per_level or len(own), list[str]()
    while len(found) < wanted:
        rounds = len(found) // len(own) + 1
        found += [f"{id}/{rounds}" for id in draw.sample(own, min(len(own), wanted - len(found)))]
    return found


def _level_tasks(level: str, made: Sequence[MatchedCandidates], seed: str) -> list[dict[str, Any]]:
    """The chosen tasks of a level as plain data, with their ids."""
    corpus = load_corpus()
    models = [reworded(task_set().tasks[one.key.partition("/")[0]], corpus) for one in made]
    places = [[*tasks_of(one.tasks, corpus.groups)] for one in made]
    spare = [task for place in places for task in place[1:]]
    # A place without a candidate takes another one's second.
    filled = [place or spare for place in places]
    if not all(filled):
        raise UserError(
            f"{level}: no task like {made[0].key.partition('/')[0]} could be made in {made[0].tried} attempts, and "
            "no other has one to spare; ask for more tasks with -n"
        )
    chosen = MatchedChoice(filled, corpus, set_figures(models, corpus)).chosen()
    order = seeds.stream("private order", seed, level).sample(chosen, len(chosen))
    return [
        {**task_data(task, corpus.groups), "id": f"{level.lower()}-p{number:03d}"}
        for number, task in enumerate(order, 1)
    ]


def _write(out: Path, tasks: Sequence[Mapping[str, Any]], tried: Mapping[str, int], models: Sequence[Task]) -> None:
    corpus = load_corpus()
    public = (task_data(reworded(task, corpus), corpus.groups) for task in models)
    about = {"version": PRIVATE_VERSION, "matched": task_set().edition, CANARY_FIELD: CANARY}
    write_atomically(out / PRIVATE, json.dumps(about) + "\n")
    write_atomically(out / PUBLIC / TASKS, task_lines(public))
    write_atomically(out / CARD, _card(len(tasks), tried))
    write_atomically(out / TASKS, task_lines(tasks))


def _card(count: int, tried: Mapping[str, int]) -> str:
    attempts = "\n".join(f"| {level} | {number:,} |" for level, number in tried.items())
    return f"""# {count} private tasks for `maze`

**Keep this folder to yourself**, and the logs and report pages of runs on it, which hold its tasks. What `sealegs rank`
writes holds none of them. The file `{SEED}` is as secret as the tasks: they can be made again from it.

Made by Sealegs by rules, each matched to a task of {task_set().edition}; no person has read them.

    sealegs maze stats --tasks .
    sealegs run maze --tasks . --model MODEL --out private-run
    sealegs run maze --tasks {PUBLIC} --model MODEL --out public-run
    sealegs rank --private private-run public-run

`{PUBLIC}` holds the tasks that these are matched to, with requests by the same rules.

| level | attempts |
|---|---|
{attempts}

<!-- {CANARY} -->
"""
