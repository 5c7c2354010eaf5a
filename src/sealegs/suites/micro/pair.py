"""Two agents: the outer one has one tool, which is another LangChain agent that has the workload's tools.

Each has its own session, over one clock and one record. A call that the inner agent makes is named after the
outer call that it serves: `call-2/call-3` is the inner agent's third call, made inside the outer agent's second.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from sealegs.faults.call import Call, Layer, Outcome, Wait
from sealegs.inject import Session
from sealegs.inject.injection import Injection
from sealegs.suites.micro.agent import react_agent
from sealegs.suites.micro.workloads import Workload
from sealegs.suites.micro.workloads.workload import RESEARCH
from sealegs.traces import Recorder

_serving: ContextVar[str] = ContextVar("sealegs_micro_serving", default="")
DESCRIPTION = "Ask an agent that can search documents, read the encyclopedia, calculate and tell the date."


def paired_agent(
    workload: Workload,
    model: Callable[[bool], Any],
    session: Callable[..., Session],
    recorder: Recorder,
    tools: Sequence[BaseTool],
    boundary: str,
    raised: bool = False,
) -> Any:
    """The outer agent.

    Args:
        workload: what it is to do.
        model: makes the model of the outer (False) or the inner agent (True).
        session: makes a session from tools, a watcher, and whether faults strike there.
        recorder: of the whole episode.
        tools: the inner agent's tools.
        boundary: where faults strike: `outer` between the agents, `inner` between the inner one and its tools.
        raised: see `react_agent`; of both agents.
    """
    inside = session(workload.tools, _Inner(recorder), boundary == "inner")
    inner = react_agent(model(True), tools, inside, raised)

    async def research_question(question: str) -> str:
        state = await inner.ainvoke({"messages": [{"role": "user", "content": question}]})
        return str(state["messages"][-1].text)

    research = StructuredTool.from_function(coroutine=research_question, name=RESEARCH, description=DESCRIPTION)
    outside = session((RESEARCH,), recorder, boundary == "outer", layers=(_serves,))
    return react_agent(model(False), [research], outside, raised)


def _serves(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
    """Notes which outer call is being served while the inner agent works."""
    _serving.set(call.id)
    return (yield call)


class _Inner:
    """A watcher that enters the inner agent's calls under the names of the outer calls that they serve."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def around(self, layer: Layer) -> Layer:
        """The layer, with its calls renamed and recorded."""

        def renamed(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            return (yield from recorded(dataclasses.replace(call, id=f"{_serving.get()}/{call.id}")))

        recorded = self._recorder.around(layer)
        return renamed

    def injected(self, injection: Injection) -> None:
        """A fault fired."""
        self._recorder.injected(injection)
