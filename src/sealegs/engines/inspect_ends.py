"""The ends of episodes in Inspect: by the model, or from outside agent and tools.

An act of the model itself (a refusal, a filter, a context that is full, a reply cut off or empty) is the model's, and
is read from Inspect's stop reasons. A model that could not be called, after the provider's retries, and a sandbox that
failed are nobody's: such an episode is invalid. It does not cover words: a refusal that the provider does not mark as
one is an answer.
"""

from __future__ import annotations

from typing import NamedTuple

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ContentText, ModelOutput
from inspect_ai.model._model import ModelGenerateError
from tenacity import RetryError

from sealegs.faults.user_error import one_line
from sealegs.traces.events import Reason
from sealegs.traces.recorder import Recorder

SCRIPTED = "sealegs/"  # models that are scripted agents: an error of theirs is the agent's


class ModelEnd(NamedTuple):
    """The way in which the model itself ended an episode.

    Attributes:
        reason: the end of the record.
        detail: the description of it.
        last: whether no further question can change it, because the same conversation would end alike.
    """

    reason: Reason
    detail: str
    last: bool


def model_end(output: ModelOutput) -> ModelEnd | None:
    """The end of an episode by a reply that calls no tool, if the reply is not an answer; None if it is one.

    Args:
        output: the model's.
    """
    if output.empty:
        return ModelEnd("empty", "the reply holds no message", last=True)
    text, content = output.completion, output.message.content
    words = one_line(text)
    parts = [] if isinstance(content, str) else content
    # Providers mark a refusal in different ways: in a part of the message, or in the details of the reason to stop.
    details = output.choices[0].stop_details
    marked = any(isinstance(part, ContentText) and part.refusal for part in parts)
    if marked or (output.stop_reason == "content_filter" and details is not None and details.type == "refusal"):
        return ModelEnd("refused", words or "without a word", last=True)
    if output.stop_reason == "content_filter":
        return ModelEnd("filtered", words or "the provider's filter took the reply", last=True)
    if output.stop_reason == "model_length":
        return ModelEnd("overflow", words or "the conversation is longer than the model's context", last=True)
    if output.stop_reason == "max_tokens":
        return ModelEnd("length", "the reply was cut off at the most tokens that it may have", last=False)
    if not text.strip():
        return ModelEnd("empty", "the reply holds neither text nor calls", last=False)
    return None


def finish_by_model(recorder: Recorder, output: ModelOutput) -> None:
    """Close the record by a reply that calls no tool: an answer, or how the model ended the episode without one.

    A reply that was cut off is kept as an answer: it may hold all requested results.
    """
    end = model_end(output)
    if end is None:
        recorder.finish("answered", answer=output.completion)
    else:
        recorder.finish(end.reason, answer=output.completion if end.reason == "length" else None, detail=end.detail)


def outside_cause(error: Exception | None) -> str:
    """The cause from outside that ended the sample that is under way; empty if agent or tools ended it.

    Args:
        error: the exception that was raised; None if none was.
    """
    last = next((event for event in reversed(transcript().events) if isinstance(event, ModelEvent)), None)
    # Scripted models are ours: an error of theirs is a mistake of the suite, and must not count as the provider's.
    if last is not None and last.error and not last.model.startswith(SCRIPTED):
        words = one_line(last.error) if error is None else provider_words(error)
        return f"the model {last.model} could not be called: {words}"
    if error is not None and any("_sandbox" in kind.__module__ for kind in type(error).__mro__):
        return f"the sandbox failed: {type(error).__name__}: {one_line(str(error))}"
    return ""


def provider_words(error: BaseException) -> str:
    """The message of a provider, or of the way to it, about a request that failed, without what Inspect adds.

    Inspect's own error holds the whole request, and that of its last retry only a name.
    """
    if isinstance(error, RetryError):
        error = error.last_attempt.exception() or error
    if isinstance(error, ModelGenerateError) and error.provider_message:
        return one_line(error.provider_message)
    return one_line(f"{type(error).__name__}: {error}")
