"""Tasks on a domain of the user's own: checked first, then generated, or read from a file of tasks.

The result is a folder that `maze` plays like any other; its name holds a digest of the domain, so that a changed domain
is another run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.generate.rules.engine import generate_by_rules
from sealegs.generate.task_checks import CheckedTask, answer_and_corruption
from sealegs.generate.task_dataset import task_lines
from sealegs.scenarios import LEVELS
from sealegs.scenarios.task_sets import TASKS, WORLD, world_digest, world_pointer
from sealegs.suites.run_options import Options
from sealegs.tasks import Task
from sealegs.tasks.levels import kind_problems
from sealegs.tasks.yaml_tasks import read_tasks, task_data
from sealegs.traces.atomic_files import write_atomically
from sealegs.world.corpus import Corpus, load_corpus_file
from sealegs.world.corpus_check import domain_problems, task_problems
from sealegs.world.reference_runs import Unanswerable, reference

FOLDER = Path("sealegs-tasks")
EACH = 10  # tasks of each level
NAMED = 5  # problems that a message names
Progress = Callable[[int, int], None]


def sound_domain(world: Path) -> Corpus:
    """The domain of a file.

    Raises:
        UserError: the kit finds something wrong with it.
    """
    corpus = load_corpus_file(world)
    if problems := domain_problems(corpus):
        more = f" (and {len(problems) - NAMED} more)" if len(problems) > NAMED else ""
        raise UserError(
            f"{world} does not pass `sealegs world check {world}`: {'; '.join(problems[:NAMED])}{more}; fix it first"
        )
    return corpus


def world_tasks(
    world: str,
    tasks: str = "",
    levels: Sequence[str] = LEVELS,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
    base: Path = FOLDER,
    jobs: int | None = None,
) -> Path:
    """The folder of tasks on a domain.

    Args:
        world: the domain's Python file.
        tasks: a YAML or JSONL file of tasks, or a folder with one; generated where it is empty.
        levels: of the tasks that are generated.
        seed: decides those.
        progress: called with how many tasks there are, and the total.
        base: the folder that the new one is made in.
        jobs: processes; all cores by default.

    Raises:
        UserError: the domain or a task does not pass its checks, or none can be made.
    """
    file = Path(world)
    corpus = sound_domain(file)
    name = f"{file.stem}-{world_digest(file)}"
    if not tasks:
        wanted = [] if tuple(levels) == LEVELS else levels
        made = base / "-".join([name, *wanted, *([f"seed{seed}"] if seed else [])])
        generate_by_rules(levels, EACH, seed, made, progress, jobs, file)
        return made
    source = Path(tasks) / TASKS if Path(tasks).is_dir() else Path(tasks)
    if not source.exists():
        raise UserError(f"there is no file {source}; give --tasks a file of tasks (docs/tasks.md)")
    domains = {name: tool.domain for name, tool in corpus.tools.items()}
    try:
        found = read_tasks(source, corpus.groups, domains)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source} cannot be read ({error}); save it as UTF-8") from error
    problems = [problem for task in found for problem in _problems(task, corpus)]
    if problems or not found:
        reasons = "; ".join(problems[:NAMED]) or "it holds no task"
        raise UserError(f"{source}: {reasons}; fix it first")
    lines = task_lines(task_data(task, corpus.groups) for task in found)
    # Named by its content: the same tasks on the same world give the same folder, and other ones another.
    folder = base / f"{name}-{digest(lines):016x}"[: len(name) + 9]
    write_atomically(folder / TASKS, lines)
    write_atomically(folder / WORLD, world_pointer(file))
    return folder


def on_own_world(options: Options, progress: Progress = lambda done, total: None) -> Options:
    """A run's options with the folder of the tasks that they order; unchanged where they order none.

    Raises:
        UserError: an option, the domain or a task cannot be used.
    """
    order = options.ordered_tasks()
    if order is None:
        return options
    order.rest.checked()  # before tasks are made
    made = world_tasks(order.world, order.tasks, order.levels, options.seed, progress, jobs=options.jobs)
    return options.on_tasks(made)


def _problems(task: Task, corpus: Corpus) -> Iterator[str]:
    """The problems that keep a written task from being played and struck."""
    strangers = [step.tool for step in task.graph.walk() if step.tool not in corpus.tools]
    wrong = [f"there is no tool {', '.join(strangers)} in the domain"] if strangers else kind_problems(task)
    if wrong:
        yield from (f"{task.id}: {problem}" for problem in wrong)
        return
    yield from task_problems(task, corpus)
    try:
        right = reference(task, corpus)
    except Unanswerable:
        return
    yield from (f"{task.id}: {problem}" for problem in answer_and_corruption(CheckedTask(task, corpus, right)))
