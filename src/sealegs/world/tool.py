"""The form of a simulated tool in code.

A tool is one function: its signature gives the parameters, its docstring the description, its decorator the rest. The
function takes the episode's `World` first and answers with a plain dict; it refuses with `Refusal`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from importlib import resources
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from sealegs.faults.call import Failure
from sealegs.faults.invariants import Echo, Invariant
from sealegs.faults.spec import ToolSpec
from sealegs.world.state import World

GROUPS = "groups.txt"  # what makes a folder of this package a domain
OLDEST = ("financial", "travel", "office", "shopping", "iot", "general")  # the order that records were made with


def shipped_domains() -> tuple[str, ...]:
    """The folders of this package that hold groups: the oldest in their own order, then the others by name."""
    folders = [entry.name for entry in resources.files("sealegs.world").iterdir() if (entry / GROUPS).is_file()]
    return tuple(sorted(folders, key=lambda name: (OLDEST.index(name) if name in OLDEST else len(OLDEST), name)))


DOMAINS = shipped_domains()
CATEGORIES = ("source", "processor", "action", "history")
Repeat = Literal["refused", "no_effect", "again"]
REPEATED: Mapping[Repeat, str] = {
    "refused": "A second identical call is refused and changes nothing.",
    "no_effect": "A second identical call changes nothing and gives the same answer.",
    "again": "A second identical call is not recognised as a repetition: where it still can, it takes effect again.",
}
KEYED = "Not so with {key}: calls with the same one take effect once, and a repeated one gives the first answer back."
IdempotencyKey = Annotated[
    str,
    Field(
        max_length=200,
        description="A text of your choice; calls with the same key take effect once. Empty: none",
    ),
]


class Answer(BaseModel):
    """Base of every tool's answer: its fields, their types and bounds, each with a description."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


@dataclass(frozen=True)
class Overlap:
    """Tools that can stand in for one another on some inputs, though they make no alternative group.

    An agent must not be offered one beside a task that wants the other: using it would be right, and count as wrong.
    """

    tools: frozenset[str]

    @classmethod
    def of(cls, *tools: str) -> Overlap:
        """An overlap of these tools, which may be of other domains."""
        return cls(frozenset(tools))


class Refusal(Exception):
    """A tool's own error, as its API would word it. `status` is the HTTP status."""

    def __init__(self, status: int, type: str, message: str, **body: Any) -> None:
        super().__init__(message)
        self.failure = Failure(message, type=type, status=status, body=body or None)


@dataclass(frozen=True)
class SimulatedTool:
    """A simulated tool.

    Attributes:
        name, domain, category: as in the corpus.
        description: what it is for; the spec's description adds what a second call does.
        parameters: the pydantic model of the arguments.
        answer: the pydantic model of the answer.
        run: the function.
        invariants: what holds on every right answer.
        examples: documented arguments, each of which is answered in a fresh world.
        refusals: documented arguments with the status that they are refused with in a fresh world.
        free_text: arguments that are prose, and the idempotency key.
        repeat: what a second identical call does: it is refused, has no effect (and the same answer), or acts again.
            None where the tool is not an action, or nobody knows.
        key: the parameter that carries an idempotency key; the tool's function never sees it.
        shown_by: the history tool whose answer shows what calls of this action did.
        parts: how many effects a call may have.
    """

    name: str
    domain: str
    category: str
    description: str
    parameters: type[BaseModel]
    answer: type[Answer]
    run: Callable[..., dict[str, Any]]
    invariants: tuple[Invariant, ...]
    examples: tuple[Mapping[str, Any], ...]
    refusals: tuple[tuple[Mapping[str, Any], int], ...] = ()
    free_text: frozenset[str] = frozenset()
    repeat: Repeat | None = None
    key: str = ""
    shown_by: str = ""
    parts: int = 1

    @cached_property
    def repetition(self) -> str:
        """The effect of a second call, in words; empty where the tool is not an action, or nobody knows."""
        notes = [REPEATED[self.repeat]] if self.repeat else []
        return " ".join([*notes, KEYED.format(key=self.key)] if self.key else notes)

    @cached_property
    def spec(self) -> ToolSpec:
        """The tool as the other rooms see it."""
        return ToolSpec(
            name=self.name,
            description=" ".join(filter(None, (self.description, self.repetition))),
            parameters=plain_schema(self.parameters),
            returns=plain_schema(self.answer),
            tags=frozenset({self.domain, self.category}),
            invariants=self.invariants,
            effects=self.category == "action",
            idempotent=self.repeat in ("refused", "no_effect"),
            key=self.key,
            shown_by=self.shown_by,
            parts=self.parts,
            examples=self.examples,
        )

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The default of each parameter that has one."""
        fields = self.parameters.model_fields.items()
        return {name: field.default for name, field in fields if not field.is_required()}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any] | Failure:
        """The arguments with types and defaults applied, or the error body of a real API for bad ones."""
        try:
            parsed = self.parameters.model_validate(given)
        except ValidationError as error:
            return _unprocessable(error)
        return {name: getattr(parsed, name) for name in self.parameters.model_fields}


def simulated_tool(
    *,
    domain: str = "",
    category: str,
    answer: type[Answer],
    examples: Sequence[Mapping[str, Any]],
    refusals: Sequence[tuple[Mapping[str, Any], int]] = (),
    echoes: Sequence[str] = (),
    invariants: Sequence[Invariant] = (),
    free_text: Sequence[str] = (),
    repeat: Repeat | None = None,
    key: str = "",
    shown_by: str = "",
    parts: int = 1,
) -> Callable[[Callable[..., dict[str, Any]]], SimulatedTool]:
    """Make a function a simulated tool. See `SimulatedTool` for what the other arguments mean.

    Args:
        domain: by default the name of the function's package, or of its module where that is in no package.
        echoes: arguments that the answer repeats under their names; invariants that the function need not return.
        key: a parameter that is added to those of the function.

    Raises:
        ValueError: what it says of repetition does not fit its category, or an echo names no parameter or no field.
    """

    def made(function: Callable[..., dict[str, Any]]) -> SimulatedTool:
        parameters = _parameters(function, key)
        problem = _repeat_problem(category, repeat, key or shown_by) or _echo_problem(echoes, key, parameters, answer)
        if problem:
            raise ValueError(f"{function.__name__} {problem}")
        return SimulatedTool(
            name=function.__name__,
            domain=domain or _domain_of(function),
            category=category,
            description=inspect.cleandoc(function.__doc__ or ""),
            parameters=parameters,
            answer=answer,
            run=_echoing(function, echoes, answer) if echoes else function,
            invariants=(*(Echo(name, name) for name in echoes), *invariants),
            examples=tuple(examples),
            refusals=tuple(refusals),
            free_text=frozenset((*free_text, key)) - {""},
            repeat=repeat,
            key=key,
            shown_by=shown_by,
            parts=parts,
        )

    return made


def _repeat_problem(category: str, repeat: Repeat | None, other: str) -> str:
    """The mistake in a category, or in its tool's statement of repetition; empty where there is none."""
    if category not in CATEGORIES:
        return f"is of the unknown category {category!r}; choose from {', '.join(CATEGORIES)}"
    if category == "action" and repeat is None:
        return f"must say what a second identical call does: repeat is one of {', '.join(REPEATED)}"
    if category != "action" and (repeat or other):
        return "is not an action, so it has no repeat, key or shown_by"
    return ""


def _echo_problem(echoes: Sequence[str], key: str, parameters: type[BaseModel], answer: type[Answer]) -> str:
    """The mistake in echoes; empty where there is none. The function never sees the key, so it cannot be one."""
    known = parameters.model_fields.keys() & answer.model_fields.keys() - {key}
    strangers = [name for name in echoes if name not in known]
    if not strangers:
        return ""
    remedy = f"which must be a parameter and a field of {answer.__name__}; rename it or use the invariant Echo"
    return f"echoes {', '.join(strangers)}, {remedy}"


def _echoing(
    function: Callable[..., dict[str, Any]], echoes: Sequence[str], answer: type[Answer]
) -> Callable[..., dict[str, Any]]:
    """The function, with the echoes that it leaves out in their places among the fields of the answer."""

    @wraps(function)
    def run(world: World, **arguments: Any) -> dict[str, Any]:
        found = function(world, **arguments)
        missing = {name: arguments[name] for name in echoes if name not in found}
        if not missing:
            return found
        whole = missing | found
        # In the order of the fields, so that a record does not depend on which of them the function left out.
        return {name: whole[name] for name in answer.model_fields if name in whole}

    return run


def _domain_of(function: Callable[..., Any]) -> str:
    """The last name of the package that a function stands in, or the module's where that is in no package."""
    place: str = function.__globals__["__package__"] or function.__module__
    return place.rpartition(".")[2]


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema without the titles that pydantic adds."""
    schema: dict[str, Any] = _untitled(model.model_json_schema())
    return schema


def _untitled(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: _untitled(v) for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    return schema


def _parameters(function: Callable[..., Any], key: str) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:  # the first is the world
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (hints[name], default)
    if key:
        fields[key] = (IdempotencyKey, "")
    # Built when first used: a run calls a few of some hundred tools, and all would be waited for at the start.
    config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    return create_model(f"{function.__name__}_parameters", __config__=config, **fields)


def _unprocessable(error: ValidationError) -> Failure:
    details = [
        {"field": ".".join(map(str, item["loc"])), "problem": item["msg"], "value": str(item.get("input"))[:80]}
        for item in error.errors(include_url=False)
    ]
    fields = ", ".join(detail["field"] for detail in details)
    return Failure(f"Invalid arguments: {fields}", type="InvalidArguments", status=422, body={"details": details})


__all__ = [
    "CATEGORIES",
    "DOMAINS",
    "GROUPS",
    "REPEATED",
    "Answer",
    "Refusal",
    "Repeat",
    "SimulatedTool",
    "World",
    "plain_schema",
    "simulated_tool",
]
