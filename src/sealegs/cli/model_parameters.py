"""Options of the command line made from a model of options, such as a suite's, where each is declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, cast, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sealegs.suites.run_options import FLAGS, ModelOptions

MODEL_PANEL = "How a model is asked"
F = TypeVar("F", bound=Callable[..., Any])


def model_parameter(name: str, found: FieldInfo, *, as_text: bool = True) -> inspect.Parameter:
    """Make the parameter of an option: names between commas are one text; a switch that is off has no opposite.

    Args:
        name: of the option.
        found: its declaration.
        as_text: whether a choice is typed as a text, which the model then refuses in the words of every other option;
            otherwise Typer refuses it. A model that Python calls make too would name the option as Python does.
    """
    extra = found.json_schema_extra
    if isinstance(extra, dict) and FLAGS in extra:
        flags = [str(flag) for flag in cast("list[str]", extra[FLAGS])]
        named = any(flag.startswith("--") for flag in flags)
        words = flags if named else [*flags, f"--{name.replace('_', '-')}"]
        return keyword(name, list[str], [], typer.Option(*words, help=f"{found.description} Repeatable."))
    # A tuple is typed as one text between commas, so its default is shown as it would be typed.
    default = ",".join(found.default) if isinstance(found.default, tuple) else found.default
    text = isinstance(found.default, tuple) or (as_text and get_origin(found.annotation) is Literal)
    kind = str if text else found.annotation
    least = next((limit.ge for limit in found.metadata if hasattr(limit, "ge")), None)
    most = next((limit.le for limit in found.metadata if hasattr(limit, "le")), None)
    # Without words of its own, Typer would give a switch a --no-NAME as well, which only one that is on needs.
    words = [f"--{name.replace('_', '-')}"] if default is False else []
    panel = MODEL_PANEL if name in ModelOptions.model_fields else None
    option = typer.Option(*words, min=least, max=most, help=found.description, rich_help_panel=panel)
    return keyword(name, kind, default, option)


def keyword(name: str, kind: Any, default: Any, option: Any) -> inspect.Parameter:
    """The parameter of an option."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def taking(options: type[BaseModel], *names: str) -> Callable[[F], F]:
    """Give a command options of a model: type, default, bounds and help are those that the model declares.

    Args:
        options: the model.
        names: of the options.
    """

    def give(command: F) -> F:
        own = inspect.signature(command, eval_str=True).parameters.values()
        kept = [
            one.replace(kind=one.KEYWORD_ONLY) for one in own if one.kind != one.VAR_KEYWORD and one.name not in names
        ]
        given = [model_parameter(name, options.model_fields[name], as_text=False) for name in names]
        set_parameters(command, [*kept, *given])
        return command

    return give


def set_parameters(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Set the parameters of a command as Typer reads them."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
