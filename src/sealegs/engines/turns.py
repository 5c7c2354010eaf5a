"""An agent and its tools in turns, until there is an answer or the steps are used up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sealegs.agents import Say, UseTool
from sealegs.faults.call import Call, Outcome, render
from sealegs.inject import Session
from sealegs.traces import Recorder


class ActingAgent(Protocol):
    """An agent that decides one act at a time."""

    def act(self) -> UseTool | Say:
        """The next call, or the final answer."""

    def observe(self, use: UseTool, text: str, /) -> None:
        """The text of the tool's message."""


def take_turns(
    agent: ActingAgent, session: Session, run: Callable[[Call], Outcome], recorder: Recorder, max_steps: int
) -> None:
    """Let the agent act until it answers; the record gets its end.

    Args:
        agent: who acts.
        session: carries each call.
        run: runs a tool.
        recorder: of the episode.
        max_steps: calls and answer together.
    """
    for _ in range(max_steps):
        act = agent.act()
        if isinstance(act, Say):
            if not isinstance(act.text, str):
                raise TypeError(f"an answer is a text, not {act.text!r}")
            recorder.finish("answered", answer=act.text)
            return
        agent.observe(act, render(session.call(act.tool, act.arguments, run)))
    recorder.finish("steps", detail=f"no answer within {max_steps} steps")
