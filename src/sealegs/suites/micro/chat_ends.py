"""Ends of a run by a chat model of LangChain itself, and failures between it and its provider.

Providers name these differently; the facts read are those that LangChain's own integrations keep: reasons in a
message's metadata, refusals beside its text, codes and names of errors. The words are those of records
(`traces.events.Reason`), and `UNREAD`. It does not cover words: a refusal that the provider does not mark as one is an
answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.agent import SCRIPTED, made_model

QUESTION = "Reply with the word ready."
REASONS: Mapping[str, str] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
    "safety": "filtered",
    "refusal": "refused",
}
CODES: Mapping[str, str] = {
    "context_length_exceeded": "overflow",
    "content_filter": "filtered",
    "content_policy_violation": "filtered",
}
OVERFLOW = "ContextOverflowError"  # how LangChain's integrations end the names of such errors
UNREAD = "malformed"  # of a last reply that holds calls alone, none of which could be read
LONGEST = 200


def chat_end(message: Any) -> str:
    """The end of the run by a final message that is not an answer; empty where it is one.

    Args:
        message: of LangChain.
    """
    metadata = message.response_metadata
    if message.additional_kwargs.get("refusal"):
        return "refused"
    reason = REASONS.get(str(metadata.get("finish_reason") or metadata.get("stop_reason") or "").lower(), "")
    if reason or str(message.text).strip():
        return reason
    return UNREAD if getattr(message, "invalid_tool_calls", None) else "empty"


def error_end(error: BaseException) -> str:
    """The end of the run by the model itself, in an error of its provider's; empty for any other error."""
    for one in _chain(error):
        if type(one).__name__.endswith(OVERFLOW):
            return "overflow"
        if found := CODES.get(str(getattr(one, "code", ""))):
            return found
    return ""


def outside_words(model: str, error: BaseException) -> str:
    """Return the message about a model that could not be called."""
    text = " ".join(str(error).split())
    return f"the model {model} could not be called: {type(error).__name__}: {text}"[:LONGEST]


def ask_chat_first(name: str) -> None:
    """Ask a model one short question, before a campaign is begun.

    Raises:
        UserError: it could not be called.
    """
    if name.startswith(SCRIPTED):
        return
    model = made_model(name)
    try:
        model.invoke(QUESTION)
    except Exception as error:  # whatever a provider's client raises
        raise UserError(
            f"{outside_words(name, error)}, and nothing was run; check its name, its key, its account and its address, "
            "then give the same command"
        ) from error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
