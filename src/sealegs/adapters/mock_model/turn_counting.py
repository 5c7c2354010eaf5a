"""Common parts of the interfaces: a counter of turns, and a turn as a reply of a model.

The calls of a turn have its number in their ids, and so has an answer that a client may refer to. Nothing is kept
between requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.mock_model.script import PlayedTurn, ToolUse
from sealegs.faults.model_apis import Reply, ReplyCall

CREATED = 1_700_000_000  # seconds since 1970; a fixed moment, so that the same script gives the same bytes
MARKED = re.compile(r"_(\d+)(?:_\d+)?$")


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The progress of a conversation.

    Attributes:
        turns: of the model that were taken.
        text: its input since the last of them.
    """

    turns: int
    text: str


class Counter:
    """Counts the model's turns in a conversation, and keeps its input since.

    Args:
        before: the id of the answer that the conversation continues from, where it is not sent whole.
    """

    def __init__(self, before: object = None) -> None:
        found = MARKED.search(str(before or ""))
        self._turns = int(found[1]) + 1 if found else 0
        self._texts: list[str] = []

    def note_turn(self, id: str = "") -> None:
        """Note a turn of the model's, or a part of one where its id says so."""
        found = MARKED.search(id or "")
        self._turns = max(self._turns, int(found[1]) + 1) if found else self._turns + 1
        self._texts = []

    def note_input(self, content: Any) -> None:
        """Note what the model was given."""
        self._texts.append(content_text(content))

    def heard(self) -> ConversationState:
        """The progress of the conversation."""
        return ConversationState(self._turns, "\n".join(filter(None, self._texts)))


def content_text(content: Any) -> str:
    """The text of a message's content, which may be a text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return content_text(content.get("text") or content.get("content") or content.get("output") or "")
    return "\n".join(filter(None, map(content_text, content))) if isinstance(content, list) else ""


def arguments_text(use: ToolUse) -> str:
    """A call's arguments as a model writes them."""
    return use.arguments if isinstance(use.arguments, str) else json.dumps(use.arguments, ensure_ascii=False)


def played_reply(played: PlayedTurn, mark: str) -> Reply:
    """A turn as a reply of a model; the ids of its calls begin with the mark of the interface."""
    calls = [
        ReplyCall(f"{mark}_{played.number}_{at}", use.tool, arguments_text(use)) for at, use in enumerate(played.uses)
    ]
    return Reply(played.say, tuple(calls))


def turn_tokens(played: PlayedTurn) -> int:
    """A plausible number of tokens of a turn."""
    return tokens([played.say, [arguments_text(use) for use in played.uses]])


def tokens(value: Any) -> int:
    """A plausible number of tokens: one for four characters."""
    return max(1, len(json.dumps(value, ensure_ascii=False, default=str)) // 4)
