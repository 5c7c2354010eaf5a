"""The frameworks that `sealegs init` and `sealegs doctor` know, as data: how each is seen, wired and run.

Where `maker` is given, the glue puts the seam where agents are made, so that the project's own code stays as it is.
Where it is not, the glue wraps the tools and leaves making the agent to the user.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProjectFramework:
    """A framework as a project shows it.

    Attributes:
        name: its name in messages.
        extra: the extra of Sealegs that installs it; empty where none is needed.
        packages: the distributions that a project asks for.
        imports: the modules by which code is seen to use it.
        adapter: the adapter's module under `sealegs.adapters`; empty for plain Python and loops.
        maker: `module:name` of what makes agents: the classes first, then functions.
        keyword: the maker's argument that the seam goes into.
        given: that argument under the seam, where `given` stands for what the project gives.
        seam: what the glue imports of the adapter.
        positional: whether the maker takes that argument first, by its place.
        answer: how an agent object is run with `input`, as an expression of its answer.
        before: what stands before it where an agent object would remember the run before.
        called: what code calls to make an agent, where that is not the maker.
    """

    name: str
    extra: str
    packages: tuple[str, ...]
    imports: tuple[str, ...]
    adapter: str = ""
    maker: str = ""
    keyword: str = "tools"
    given: str = "wrap(list(given or ()))"
    seam: str = "wrap"
    positional: bool = False
    answer: str = ""
    before: str = ""
    called: tuple[str, ...] = ()

    def is_imported_as(self, module: str) -> bool:
        """Whether an import of this module shows the framework."""
        return any(module == one or module.startswith(f"{one}.") for one in self.imports)

    @property
    def makers(self) -> tuple[str, ...]:
        """The names under which code calls what makes agents."""
        return self.called or ((self.maker.partition(":")[2],) if self.maker else ())


# The first that fits counts: those that bring another's packages stand before it, and plain Python fits all.
FRAMEWORKS: tuple[ProjectFramework, ...] = (
    ProjectFramework(
        "LangGraph",
        "langchain",
        (),
        ("langgraph.prebuilt.ToolNode", "langgraph.prebuilt.create_react_agent"),
        "langchain",
        "langgraph.prebuilt:ToolNode",
        positional=True,
        answer='agent.invoke({"messages": [("user", input)]})["messages"][-1].text',
        called=("compile", "create_react_agent"),
    ),
    ProjectFramework(
        "LangChain",
        "langchain",
        ("langchain",),
        ("langchain", "langchain_core", "langgraph"),
        "langchain",
        "langchain.agents:create_agent",
        "middleware",
        "[Seam(), *(given or ())]",
        "Seam",
        answer='agent.invoke({"messages": [("user", input)]})["messages"][-1].text',
    ),
    ProjectFramework(
        "Strands Agents",
        "strands",
        ("strands-agents",),
        ("strands",),
        "strands",
        "strands:Agent",
        answer="str(agent(input))",
        before="agent.messages.clear()  # each run from the beginning\n",
    ),
    ProjectFramework(
        "Pydantic AI",
        "pydantic-ai",
        ("pydantic-ai", "pydantic-ai-slim"),
        ("pydantic_ai",),
        "pydantic_ai",
        "pydantic_ai:Agent",
        "capabilities",
        "[*(given or ()), Seam()]",
        "Seam",
        answer="agent.run_sync(input).output",
    ),
    ProjectFramework(
        "smolagents",
        "smolagents",
        ("smolagents",),
        ("smolagents",),
        "smolagents",
        "smolagents:MultiStepAgent",
        positional=True,
        answer="str(agent.run(input))",
        called=("CodeAgent", "ToolCallingAgent"),
    ),
    ProjectFramework("OpenAI Agents SDK", "openai-agents", ("openai-agents",), ("agents",), "openai_agents"),
    ProjectFramework("LlamaIndex", "llama-index", ("llama-index", "llama-index-core"), ("llama_index",), "llama_index"),
    ProjectFramework("DSPy", "dspy", ("dspy",), ("dspy",), "dspy"),
    ProjectFramework("Google ADK", "google-adk", ("google-adk",), ("google.adk",), "google_adk"),
    ProjectFramework("AutoGen", "autogen", ("autogen-agentchat",), ("autogen_agentchat",), "autogen"),
    ProjectFramework(
        "Microsoft Agent Framework",
        "agent-framework",
        ("agent-framework", "agent-framework-core"),
        ("agent_framework",),
        "agent_framework",
    ),
    ProjectFramework("CrewAI", "crewai", ("crewai",), ("crewai",), "crewai"),
    ProjectFramework(
        "Claude Agent SDK", "claude-agent-sdk", ("claude-agent-sdk",), ("claude_agent_sdk",), "claude_agent_sdk"
    ),
    ProjectFramework("a loop on OpenAI's interfaces", "", ("openai",), ("openai",)),
    ProjectFramework("a loop on Anthropic's interfaces", "", ("anthropic",), ("anthropic",)),
    ProjectFramework("plain Python", "", (), ()),
)
