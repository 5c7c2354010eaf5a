"""A script: what a model says and calls, turn by turn.

Which turn comes next is read from the conversation alone, by the turns of the model that are in it. So one server plays
any number of conversations side by side, and a conversation that is sent again gets the same answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, field_validator, model_validator

from sealegs.faults.fault import Count, Text, problem
from sealegs.faults.kinds import AnyFault
from sealegs.faults.plan_files import read_data_file
from sealegs.faults.problems import Problem, abbreviate
from sealegs.faults.user_error import UserError

HEARD = re.compile(r"\{\{\s*heard\s*\}\}")
CONFIG = ConfigDict(frozen=True, extra="forbid")


class ScriptError(UserError):
    """Everything that is wrong with a script, or what a conversation asks of it that it does not hold."""


class ToolUse(BaseModel):
    """A call of a tool."""

    model_config = CONFIG
    tool: Text = Field(description="The tool's name.")
    arguments: dict[str, Any] | str = Field(
        default_factory=dict, description="Its arguments; a text is sent unchanged, to play a model that errs."
    )


class ScriptedTurn(BaseModel):
    """A turn of the model: its words and calls. In every text, `{{heard}}` is its input since its last turn."""

    model_config = CONFIG
    when: str | None = Field(
        default=None, description="This regular expression is found in the model's input since its last turn."
    )
    say: str | None = Field(default=None, description="Its words.")
    call: ToolUse | None = Field(default=None, description="A tool that it calls.")
    calls: tuple[ToolUse, ...] = Field(default=(), description="Tools that it calls side by side.")
    fault: AnyFault | None = Field(default=None, description="A fault that strikes the first requests for this turn.")
    times: Count = Field(default=1, description="How many of them, in each conversation.")

    @field_validator("when")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise problem(f"is not a regular expression ({error})", "Correct it.") from None
        return pattern

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.say is None and self.call is None and not self.calls:
            raise problem("has neither text nor calls", "Add one of say, call, calls.")
        if self.call is not None and self.calls:
            raise problem("has both call and calls", "Put all calls under calls.")
        return self

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        """All calls."""
        return self.calls if self.call is None else (self.call,)


class FirstMatch(BaseModel):
    """The first of these turns whose `when` fits is played."""

    model_config = CONFIG
    either: Annotated[tuple[ScriptedTurn, ...], Field(min_length=1)]


def _form(entry: Any) -> str:
    return "either" if isinstance(entry, FirstMatch) or (isinstance(entry, dict) and "either" in entry) else "turn"


Entry = Annotated[Annotated[FirstMatch, Tag("either")] | Annotated[ScriptedTurn, Tag("turn")], Discriminator(_form)]


class Script(BaseModel):
    """The turns of a conversation."""

    model_config = CONFIG
    version: Literal[1] = Field(default=1, description="Version of the script format.")
    name: str = Field(default="", description="The script's name.")
    turns: Annotated[tuple[Entry, ...], Field(min_length=1)] = Field(description="The turns, in order.")
    loop: bool = Field(default=False, description="After the last turn comes the first again.")

    def play(self, number: int, heard: str) -> PlayedTurn:
        """The turn of this number, from 0, of a model whose input was `heard`.

        Raises:
            ScriptError: there is no such turn, or none that fits.
        """
        if number >= len(self.turns) and not self.loop:
            raise ScriptError(
                f"the script {self.name!r} has {len(self.turns)} turn(s), and turn {number + 1} was requested; "
                "add one, or give it `loop: true`"
            )
        entry = self.turns[number % len(self.turns)]
        place = str(number % len(self.turns) + 1)
        for at, turn in enumerate(entry.either if isinstance(entry, FirstMatch) else (entry,), start=1):
            if turn.when is None or re.search(turn.when, heard):
                uses = tuple(ToolUse(tool=use.tool, arguments=_filled(use.arguments, heard)) for use in turn.uses)
                name = f"{place}.{at}" if isinstance(entry, FirstMatch) else place
                return PlayedTurn(number, _filled(turn.say, heard), uses, name)
        raise ScriptError(
            f"turn {number + 1} of the script {self.name!r} has nothing for {abbreviate(heard)}; "
            "add a turn without `when` as the last of `either`"
        )


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn as it is played.

    Attributes:
        number: of the turn, from 0.
        say: its words; None where there are none.
        uses: its calls.
        name: its place in the script, from 1: `2`, or `2.1` for the first of `either`.
    """

    number: int
    say: str | None
    uses: tuple[ToolUse, ...]
    name: str = ""


def read_script(path: str | Path) -> Script:
    """The script in a file: JSON where its name ends in `.json`, else YAML by the rules of plans.

    Raises:
        UserError: the file cannot be read, or is not a script. The message reports every mistake.
    """
    return script_from(read_data_file(path), str(path))


def script_from(data: Any, source: str = "script") -> Script:
    """The script that this data describes.

    Raises:
        ScriptError: it describes no script. The message reports every mistake.
    """
    try:
        return Script.model_validate(data)
    except ValidationError as error:
        problems = [_describe_problem(item) for item in error.errors(include_url=False)]
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    raise ScriptError("\n".join([f"{source} has {count}:", *(f"  {found}" for found in problems)]))


def _describe_problem(item: Any) -> Problem:
    path = ""
    for place, part in enumerate(item["loc"]):
        if place != 2:  # the form of an entry, which is not in the file
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    missing = item["type"] == "missing"
    value = "" if missing else abbreviate(item["input"])
    return Problem(path or "script", value, item["msg"][0].lower() + item["msg"][1:], "See docs/serve-script.md.")


def _filled(value: Any, heard: str) -> Any:
    if isinstance(value, str):
        return HEARD.sub(lambda _: heard, value)
    if isinstance(value, dict):
        return {key: _filled(item, heard) for key, item in value.items()}
    return [_filled(item, heard) for item in value] if isinstance(value, list) else value
