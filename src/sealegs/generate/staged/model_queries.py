"""Asking a model for one thing in one form, again with the reason where the answer will not do.

Calls go through Inspect's model interface, so any provider works; answers are cached by Inspect, so a resumed run
does not pay twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)

from sealegs.faults.user_error import UserError

T = TypeVar("T")


class BadAnswer(ValueError):
    """An answer that will not do: a short name to count it under, and what to tell the model."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class RejectedItem(Exception):
    """An item is given up at a stage; the message names the last reason."""


@dataclass
class StageTranscript:
    """The exchange with models over one stage of one item.

    Attributes:
        bad: the names of bad answers, in order.
        calls, tokens_in, tokens_out: of all answers, also those that Inspect had in its cache.
    """

    bad: list[str] = field(default_factory=list)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True)
class PromptedModel:
    """A model that answers prompts.

    Attributes:
        model: of Inspect.
        tries: how often a bad answer is requested again.
    """

    model: Model
    tries: int = 3

    async def ask(self, system: str, question: str, read: Callable[[str], T], talk: StageTranscript) -> T:
        """Return the model's answer as `read` reads it.

        Args:
            system, question: the two messages to the model.
            read: makes the answer's text what is wanted, or raises `BadAnswer`.
            talk: notes every answer.

        Raises:
            RejectedItem: no answer would do.
        """
        messages: list[ChatMessage] = [ChatMessageSystem(content=system), ChatMessageUser(content=question)]
        for _ in range(self.tries + 1):
            text = ""
            try:
                text = await self._completion(messages, talk)
                return read(text)
            except BadAnswer as error:
                talk.bad.append(error.name)
                messages += [
                    ChatMessageAssistant(content=text or "(no answer)"),
                    ChatMessageUser(content=f"This will not do: {error} Please give the whole answer again."),
                ]
        raise RejectedItem(talk.bad[-1])

    async def _completion(self, messages: list[ChatMessage], talk: StageTranscript) -> str:
        try:
            config = GenerateConfig(max_tokens=16_000)
            output = await self.model.generate(messages, config=config, cache=CachePolicy(expiry=None))
        except Exception as error:  # whatever a provider raises is an answer that did not come
            raise BadAnswer(f"no answer ({type(error).__name__})", "There was no answer.") from error
        talk.calls += 1
        if output.usage is not None:
            talk.tokens_in += output.usage.input_tokens
            talk.tokens_out += output.usage.output_tokens
        if not output.completion.strip():
            raise BadAnswer("no answer", "You gave no answer.")
        return output.completion


def model_named(name: str) -> Model:
    """A model of Inspect.

    Raises:
        UserError: there is no such model, or it cannot be used (no key, no package).
    """
    try:
        return get_model(name)
    except Exception as error:
        reason = " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).split())
        raise UserError(f"the model {name!r} cannot be used: {reason}") from error


def json_in(text: str) -> Any:
    """The JSON that an answer holds, alone or in a fenced block.

    Raises:
        BadAnswer: it holds none.
    """
    fenced = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("invalid JSON", f"The answer is not JSON: {error}.") from error
