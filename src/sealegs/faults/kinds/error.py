"""The tool answers with an error."""

from __future__ import annotations

import builtins
import difflib
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import Field, JsonValue, Strict, field_validator

from sealegs.faults.call import Failure
from sealegs.faults.fault import Seconds, Substitute, Text, problem


def _raisable() -> dict[str, type[Exception]]:
    """The built-in exceptions that are made from one message and that any function may raise."""
    found = {}
    barred = (Warning, StopIteration, StopAsyncIteration)
    for name, thing in vars(builtins).items():
        if isinstance(thing, type) and issubclass(thing, Exception) and not issubclass(thing, barred):
            try:
                thing("message")
            except TypeError:
                continue
            found[name] = thing
    return found


RAISABLE = _raisable()


class Error(Substitute):
    """The agent is shown an error in place of the answer: an HTTP status, a Python exception, or a bare message."""

    kind: Literal["error"] = "error"
    status: Annotated[int, Strict(), Field(ge=400, le=599)] | None = Field(
        default=None, description="HTTP status of the error, 400 to 599."
    )
    exception: str | None = Field(
        default=None, description="Name of a built-in Python exception, which an adapter raises as the tool's own."
    )
    message: str | None = Field(default=None, description="What the error says; else the status's standard phrase.")
    type: Text | None = Field(default=None, description="The error's name; else made from the exception or the status.")
    retry_after: Seconds | None = Field(default=None, description="Seconds after which the tool invites another try.")
    body: dict[str, JsonValue] | None = Field(default=None, description="Further fields of the error's body.")

    @field_validator("exception")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is None or name in RAISABLE:
            return name
        near = difflib.get_close_matches(name, RAISABLE, n=1)
        hint = f"Did you mean {near[0]}?" if near else "Put any other name under `type`."
        raise problem("is not a built-in exception that is made from one message", hint)

    @cached_property
    def failure(self) -> Failure:
        """The failure that the agent is shown, without the exception."""
        phrase = "The tool failed" if self.status is None else _phrase(self.status)
        named = "ToolError" if self.status is None else "".join(filter(str.isalnum, phrase.title()))
        return Failure(
            message=phrase if self.message is None else self.message,
            type=self.type or self.exception or named,
            status=self.status,
            retry_after=self.retry_after,
            body=self.body,
        )

    def answer(self) -> Failure:
        """The failure, with its exception where one is named."""
        if self.exception is None:
            return self.failure
        # A new exception each time: a raised one collects tracebacks.
        return replace(self.failure, exception=RAISABLE[self.exception](self.failure.message))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"HTTP {status}"
