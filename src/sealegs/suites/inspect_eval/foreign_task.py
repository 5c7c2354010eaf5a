"""Loading an eval by its name as Inspect does, and what is wrong where that cannot be done."""

from __future__ import annotations

import ast
import json
import logging
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai._eval import registry
from inspect_ai._eval.loader import load_tasks
from inspect_ai._util.decorator import parse_decorators
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_find, registry_info, registry_lookup
from inspect_ai.dataset import Dataset, Sample
from pydantic_core import to_jsonable_python

from sealegs.engines.inspect_runner import plain_words
from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import contents_digest, edition

SHOWN = 6  # names in a message
EXTRA = 'pip install "sealegs[evals]"'
OF_THE_EXTRA = ("inspect_evals/tau2_", "inspect_evals/agentdojo")  # which installs what these evals need


def load_eval(name: str, arguments: Mapping[str, Any]) -> Task:
    """The eval's task, made anew, with an id for every sample.

    Args:
        name: as Inspect takes it: of the registry, or a file with `@task`.
        arguments: of the task.

    Raises:
        UserError: there is no such eval, something that it needs is not installed, or faults cannot be put under it.
    """
    name = _of_file(name)
    try:
        with _unlogged_arguments():
            tasks = load_tasks([name], dict(arguments))
    except ImportError as error:
        missing = getattr(error, "name", None) or plain_words(error)
        remedy = EXTRA if name.startswith(OF_THE_EXTRA) else "install it, or the eval's own extra"
        raise UserError(
            f"the eval {name} needs {missing}, which is not installed; {remedy} ({plain_words(error)})"
        ) from error
    except PrerequisiteError as error:
        raise UserError(f"the eval {name!r} cannot be loaded: {plain_words(error)}{_near(name)}") from error
    # Only code of ours raises it, in words that are for the user already.
    except UserError:
        raise
    # Loading runs the eval's own code, which may raise anything, and may even end the program.
    except (Exception, SystemExit) as error:
        given = f" (with {' '.join(f'-T {key}={value}' for key, value in arguments.items())})" if arguments else ""
        raise UserError(
            f"the eval {name!r} cannot be loaded{given}: {type(error).__name__}: {plain_words(error)}"
        ) from error
    if not tasks:
        raise UserError(_unknown(name))
    if len(tasks) > 1:
        raise UserError(_several(name, [task.name for task in tasks]))
    (task,) = tasks
    _refuse_unknown(name, task, arguments)
    if task.sample_source is not None:
        raise UserError(
            f"the eval {name} makes its samples while it runs, so clean and faulted ones cannot be paired; name another"
        )
    if not task.scorer:
        raise UserError(f"the eval {name} has no scorer, so nothing decides whether a sample is solved; give it one")
    task.dataset = _numbered(task.dataset)
    ids = [str(sample.id) for sample in task.dataset]
    if doubled := next((one for one, count in Counter(ids).items() if count > 1), None):
        raise UserError(f"the eval {name} has several samples with the id {doubled!r}; give each its own")
    return task


def sample_names(dataset: Dataset, limit: int | None) -> list[str]:
    """The ids of an eval's samples as text: the first ones, in an order that does not change from load to load."""
    names = [str(sample.id) for sample in dataset]
    if dataset.shuffled:
        names.sort(key=_natural)
    return names[:limit]


def samples_edition(task: Task) -> str:
    """Version of an eval and digest of its samples, as records and rows name them; in whatever order they come."""
    texts = sorted(json.dumps([str(sample.id), _input_data(sample)]) for sample in task.dataset)
    return edition(str(task.version), contents_digest(text.encode() for text in texts))


def _input_data(sample: Sample) -> Any:
    """The input of a sample as data, which is the same whenever the eval is loaded."""
    if isinstance(sample.input, str):
        return sample.input
    # Inspect draws an id for each message that it makes.
    return [message.model_dump(mode="json", exclude={"id"}, fallback=str) for message in sample.input]


def only_samples(dataset: Dataset, names: Collection[str]) -> Dataset:
    """The samples of these ids."""
    return dataset.filter(lambda sample: str(sample.id) in names)


def _of_file(name: str) -> str:
    """The name of the one eval of a file, with the file; another name as it is.

    Raises:
        UserError: there is no such file, or no such eval in it.
    """
    file, at, wanted = name.rpartition("@") if "@" in name else (name, "", "")
    if not file.endswith(".py"):
        return name
    if not Path(file).is_file():
        raise UserError(f"there is no file {file}; name one that holds an eval, as in my_eval.py@my_task")
    # Read from the source and not imported: the file's code runs once it is clear which eval is meant.
    there = [found for found, _ in parse_decorators(Path(file), "task")]
    if not there:
        raise UserError(_without_evals(Path(file)))
    if at and wanted not in there:
        raise UserError(f"{file} holds no eval {wanted!r}; choose one of {', '.join(there)}")
    if not at and len(there) != 1:
        raise UserError(_several(file, there))
    return name if at else f"{file}@{there[0]}"


def _without_evals(file: Path) -> str:
    """The reason why Inspect finds no eval in a file."""
    try:
        ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        return f"{file} cannot be read as Python: {plain_words(error)}"
    return f"{file} holds no eval; put Inspect's @task above the function that makes it"


@contextmanager
def _unlogged_arguments() -> Iterator[None]:
    """Keep Inspect from logging an argument that the eval does not take: `_refuse_unknown` says so, in one line."""
    log = logging.getLogger(registry.__name__)
    log.addFilter(_of_other_things)
    try:
        yield
    finally:
        log.removeFilter(_of_other_things)


def _of_other_things(record: logging.LogRecord) -> bool:
    return "not used by task" not in record.getMessage()


def _several(place: str, names: Sequence[str]) -> str:
    shown = ", ".join(f"{place}@{name}" for name in names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    return f"{place} holds {len(names)} evals; name one of them: {shown}"


def _numbered(dataset: Dataset) -> Dataset:
    """The samples, numbered as Inspect would where they have no ids; by content where their order is drawn."""
    if all(sample.id is not None for sample in dataset):
        return dataset
    samples: Sequence[Sample] = list(dataset)
    if dataset.shuffled:
        samples = sorted(samples, key=lambda sample: digest(json.dumps(to_jsonable_python(sample, fallback=str))))
    for number, sample in enumerate(samples, 1):
        sample.id = sample.id if sample.id is not None else number
    return dataset


def _refuse_unknown(name: str, task: Task, arguments: Mapping[str, Any]) -> None:
    """Inspect itself only logs an argument that the eval does not take."""
    found = registry_lookup("task", registry_info(task).name)
    if found is None or _takes_any(found):
        return
    known: list[str] = registry_info(found).metadata.get("params") or []
    if unknown := [key for key in arguments if key not in known]:
        raise UserError(f"the eval {name} takes no argument {unknown[0]!r} (-T); it takes {', '.join(known) or 'none'}")


def _takes_any(function: Any) -> bool:
    return any(one.kind is one.VAR_KEYWORD for one in signature(function).parameters.values())


def _unknown(name: str) -> str:
    """The message for an eval that Inspect does not find; a missing package may be the reason."""
    if name.startswith("inspect_evals/") and find_spec("inspect_evals") is None:
        return f"the eval {name} needs inspect-evals, which is not installed; {EXTRA}"
    return f"Inspect knows no eval {name!r}{_near(name)}; install its package, or name a file (my_eval.py@task)"


def _near(name: str) -> str:
    """A suggestion of the eval that may have been meant; empty where no name is similar."""
    known = [registry_info(one).name for one in registry_find(lambda info: info.type == "task")]
    found = get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
