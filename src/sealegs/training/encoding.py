"""A conversation as tokens, and which of them are learned.

The template says where each of the assistant's turns begins and ends, as places in the text; a token is the
assistant's if it lies wholly within one turn. A token that crosses the edge of a turn is left out and counted: the
model would never be asked to write it, because its prompt ends at that edge. The k-th marked turn is the assistant's
k-th message, so marks on messages become masks on tokens. A message that is not to be learned keeps its tokens and
gets no label: what comes after it is learned with it in view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.training.conversation_rows import BadRow, RowConversation

IGNORED = -100


@dataclass(frozen=True, slots=True)
class Encoded:
    """One row as tokens.

    Attributes:
        input_ids: the tokens.
        labels: the same where the assistant speaks and is learned from, -100 elsewhere.
        recovery: 1 where the assistant recovers and is learned from, 0 elsewhere.
        crossing: tokens that cross the edge of a turn.
    """

    input_ids: list[int]
    labels: list[int]
    recovery: list[int]
    crossing: int


def render_conversation(row: RowConversation, tokenizer: Any, template: str) -> tuple[str, list[tuple[int, int]]]:
    """The text of a conversation, and where in it the assistant's turns begin and end.

    Raises:
        BadRow: the template refuses the conversation, or does not mark each of the assistant's messages once.
    """
    from jinja2 import TemplateError
    from transformers.utils.chat_template_utils import render_jinja_template

    try:
        written, marked = render_jinja_template(
            conversations=[[dict(message) for message in row.messages]],
            tools=[dict(tool) for tool in row.tools] or None,
            chat_template=template,
            return_assistant_tokens_mask=True,
            **tokenizer.special_tokens_map,
        )
    except TemplateError as error:
        raise BadRow(f"the template refuses it: {error}") from error
    spoken = sum(message["role"] == "assistant" for message in row.messages)
    # Turns are matched with messages by their order alone, so a missing mark would shift the labels of all that follow.
    if len(marked[0]) != spoken:
        raise BadRow(f"the template marks {len(marked[0])} turns of {spoken} messages of the assistant")
    return written[0], [(begin, end) for begin, end in marked[0]]


def encode(row: RowConversation, tokenizer: Any, template: str) -> Encoded:
    """The tokens of a conversation and what is learned of them.

    Raises:
        BadRow: see `render_conversation`; or no token of the assistant is left.
    """
    text, turns = render_conversation(row, tokenizer, template)
    # The template has written the begin mark and the others already.
    made = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    speakers = [nth for nth, message in enumerate(row.messages) if message["role"] == "assistant"]
    ids: list[int] = made["input_ids"]
    turn_of, crossing = _turns_of(made["offset_mapping"], turns)
    spoken_by = [None if turn is None else speakers[turn] for turn in turn_of]
    learned = [nth is not None and nth not in row.unlearned for nth in spoken_by]
    labels = [id if here else IGNORED for id, here in zip(ids, learned, strict=True)]
    recovery = [int(here and nth in row.recovery) for here, nth in zip(learned, spoken_by, strict=True)]
    # A message alone does not ensure one: a turn may be empty, or every token of it cross an edge.
    if all(label == IGNORED for label in labels):
        raise BadRow("has no token of the assistant: nothing to learn")
    return Encoded(list(ids), labels, recovery, crossing)


def _turns_of(offsets: Sequence[tuple[int, int]], turns: Sequence[tuple[int, int]]) -> tuple[list[int | None], int]:
    """The turn that each token lies in, and how many tokens cross an edge."""
    found: list[int | None] = []
    nth = crossing = 0
    for begin, end in offsets:
        # Tokens and turns both come in the order of the text, so one pass over both is enough.
        while nth < len(turns) and begin >= turns[nth][1]:
            nth += 1
        if nth == len(turns) or end <= turns[nth][0]:
            found.append(None)
        elif begin >= turns[nth][0] and end <= turns[nth][1]:
            found.append(nth)
        else:
            found.append(None)
            crossing += 1
    return found, crossing
