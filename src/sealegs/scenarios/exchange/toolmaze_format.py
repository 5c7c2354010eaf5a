"""The published format: what a task file and a trace file hold, and how a folder of them is read.

Unknown fields are let through. What the published fields cannot say of a task of ours (which arguments have
defaults or are prose, what a call does to the world, what the answer must contain) is under `sealegs`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sealegs.faults.call import Moment
from sealegs.faults.nesting import DEEPEST, exceeds_depth
from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS, MODES

T = TypeVar("T", bound=BaseModel)
MODE = re.compile(r"(?<![A-Za-z0-9])(NP|P[1-4])(?![A-Za-z0-9])")


class LenientModel(BaseModel):
    """Base of the format's objects: unknown fields are let through."""

    model_config = ConfigDict(extra="allow")


class StepForm(LenientModel):
    """One call of a path."""

    step_id: str | int = ""
    tool_name: str
    tool_arguments: dict[str, Any] = {}
    expected_output: Any = None
    is_perturbed: bool = False


class PathForm(LenientModel):
    """One valid path: its tools in order, and what each is called with and answers."""

    path_id: str | int = ""
    tools: list[str] = []
    execution_trace: list[StepForm] = []


class DeliverableForm(BaseModel):
    """Something that the answer must contain: the same value from each of these, `TOOL:PATH`, one a branch."""

    label: str
    sources: list[str]


class ActionForm(BaseModel):
    """An offered action whose effect a read tool shows.

    Attributes:
        shown_by: the read tool.
        idempotent: whether a second identical call is refused or has no effect.
        key: the parameter that carries an idempotency key, if there is one.
        at: when a fault strikes the action in this episode; None where it can strike at one moment only.
    """

    shown_by: str
    idempotent: bool = False
    key: str = ""
    at: Moment | None = None


class ExtraForm(BaseModel):
    """The facts that the published fields cannot express.

    Attributes:
        deliverables: None where the file does not tell.
        defaults, free_text, effects, descriptions: by tool.
        actions: by tool; empty where a failed call is known to have done nothing, as in the published protocol.
    """

    deliverables: list[DeliverableForm] | None = None
    defaults: dict[str, dict[str, Any]] = {}
    free_text: dict[str, list[str]] = {}
    effects: dict[str, list[dict[str, Any]]] = {}
    descriptions: dict[str, str] = {}
    actions: dict[str, ActionForm] = {}


class TaskForm(LenientModel):
    """A published task under one mode."""

    task_id: str
    template_id: str | int = ""
    complexity: str
    perturbation_mode: str = "NP"
    task_description: str = ""
    user_input: str
    execution_trace: list[StepForm] = []
    valid_paths: list[PathForm] = []
    alternative_tools: Any = None
    perturbation_target: Any = None
    sealegs: ExtraForm = Field(default_factory=ExtraForm)

    @field_validator("task_id", "complexity", mode="before")
    @classmethod
    def _text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) else value

    @field_validator("perturbation_mode", mode="before")
    @classmethod
    def _mode(cls, value: Any) -> str:
        found = MODE.search(str(value or "NP").upper())
        if not found:
            raise ValueError(f"{value!r} is not a mode; use one of {', '.join(MODES)}")
        return found[1]

    @property
    def level(self) -> str:
        """C1 to C4; empty where `complexity` is not one of them."""
        found = re.search(r"[1-4]", self.complexity)
        return f"C{found[0]}" if found and f"C{found[0]}" in LEVELS else ""

    @property
    def targets(self) -> tuple[str, ...]:
        """The tools that may be perturbed: those that the target names, else those whose steps are marked."""
        steps = [*self.execution_trace, *(step for path in self.valid_paths for step in path.execution_trace)]
        marked = (step.tool_name for step in steps if step.is_perturbed)
        named = (name for name in _named(self.perturbation_target) if name)
        return tuple(dict.fromkeys(named)) or tuple(dict.fromkeys(marked))


class DeedForm(BaseModel):
    """The real outcome of a call; the published fields hold only the text that the agent read.

    Attributes:
        said: the tool's own answer, as a record keeps it; None where the tool was not run.
        effects: what the call did to the world: `action`, `subject`, `details`.
        struck: whether a fault was delivered, and `implicit` whether it looked like an answer.
        moment: when the fault struck an action.
    """

    said: dict[str, Any] | None = None
    effects: list[dict[str, Any]] = []
    struck: bool = False
    implicit: bool = False
    moment: Moment | Literal[""] = ""


class CallForm(LenientModel):
    """A call in a trace."""

    id: str = ""
    name: str
    arguments: dict[str, Any] = {}
    sealegs: DeedForm | None = None

    @field_validator("arguments", mode="before")
    @classmethod
    def _object(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class MessageForm(LenientModel):
    """One message of a trace: a call, a tool's answer, or the final answer; others are let through."""

    role: str
    type: str = ""
    tool_call: CallForm | None = None
    call_id: str = ""
    name: str = ""
    content: Any = None

    @property
    def kind(self) -> Literal["call", "result", "answer", "other"]:
        """The kind of the message."""
        if self.role == "assistant" and self.tool_call is not None:
            return "call"
        if self.role == "tool":
            return "result"
        return "answer" if self.role == "assistant" and self.type == "final_answer" else "other"


class TraceForm(LenientModel):
    """The messages of an agent on one task under one mode."""

    messages: list[MessageForm]
    task_id: str = ""
    mode: str = ""


def read_task_forms(folder: Path) -> list[TaskForm]:
    """Every task of a folder.

    Raises:
        UserError: there is none, or some cannot be read; every mistake is named.
    """
    return [task for _, task in _read(folder, TaskForm, "published tasks")]


def read_trace_forms(folder: Path) -> list[TraceForm]:
    """Every trace of a folder; where a trace does not name its task and mode, its file's name does.

    Raises:
        UserError: there is none, or some cannot be read; every mistake is named.
    """
    return [_placed(trace, file.stem) for file, trace in _read(folder, TraceForm, "published traces")]


def _placed(trace: TraceForm, stem: str) -> TraceForm:
    modes: list[str] = MODE.findall((trace.mode or stem.replace("_", " ")).upper())
    task = trace.task_id or re.sub(r"[-_. ]*(?<![A-Za-z0-9])(NP|P[1-4])$", "", stem, flags=re.IGNORECASE)
    return trace.model_copy(update={"task_id": task, "mode": modes[-1] if modes else ""})


def _read(folder: Path, form: type[T], noun: str) -> list[tuple[Path, T]]:
    if not folder.exists():
        raise UserError(f"there is no folder {folder}; name one that holds {noun}")
    files = sorted(f for f in folder.rglob("*") if f.suffix in (".json", ".jsonl")) if folder.is_dir() else [folder]
    found: list[tuple[Path, T]] = []
    problems: list[str] = []
    for file in files:
        try:
            items = list(_items(file))
        except (ValueError, RecursionError) as error:
            problems.append(f"{file}: not JSON: {error}")
            continue
        for place, item in items:
            # Before it is validated: pydantic and what reads the task recurse, and would end with an error that names
            # no file.
            if exceeds_depth(item):
                problems.append(f"{place}: nested deeper than {DEEPEST} levels")
                continue
            try:
                found.append((file, form.model_validate(item)))
            except ValidationError as error:
                problems += [f"{place}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3]]
    if problems:
        raise UserError("\n".join(problems))
    if not found:
        raise UserError(f"{folder} holds no {noun} (*.json, *.jsonl); name another folder")
    return found


def _items(file: Path) -> Iterator[tuple[str, Any]]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        # Not `splitlines`: a string of JSON may hold characters such as U+2028, at which that would cut too.
        yield from ((f"{file}:{n}", json.loads(line)) for n, line in enumerate(text.split("\n"), 1) if line.strip())
        return
    data = json.loads(text)
    items = data if isinstance(data, list) else [data]
    yield from ((f"{file}[{n}]" if len(items) > 1 else str(file), item) for n, item in enumerate(items))


def _named(target: Any) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, Mapping):
        named = [target[key] for key in ("tool_name", "tool", "name", "tools") if key in target]
        for value in named or target.values():
            yield from _named(value)
    elif isinstance(target, list):
        for item in target:
            yield from _named(item)
