"""The frameworks of agents, as data: the one list that has each framework's name.

`sealegs init` and `sealegs doctor` read it, and so do the sessions of nox, the tables of docs/adapters.md and
docs/your-agent.md, and the tests that hold extras, adapters and harnesses to it. This file imports nothing of the
package, since nox reads it from an environment without it.

Where `maker` is given, the glue of `sealegs init` puts the seam where agents are made, so that the project's own code
stays as it is. Where it is not, the glue wraps the tools and leaves making the agent to the user.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework as a project shows it, and as the documentation shows it.

    Attributes:
        name: its name in messages.
        extra: the extra of Sealegs that installs it; empty where none is needed.
        packages: the distributions that a project asks for.
        imports: the modules by which code is seen to use it; empty where it looks like plain Python.
        adapter: the adapter's module under `sealegs.adapters`; empty for plain Python and loops.
        lines: what puts its tools under a session, each as the documentation shows it.
        objects: what is taken as an agent object that can be run; empty where nothing is.
        harness: the file of its harnesses, which is named like the adapter where there is one.
        maker: `module:name` of what makes agents: the classes first, then functions.
        keyword: the maker's argument that the seam goes into.
        given: that argument under the seam, as an expression of `given`, which is what the project passes.
        seam: what the glue imports of the adapter.
        positional: whether the maker takes that argument first, by its place.
        answer: how an agent object is run with `input`, as an expression of its answer.
        before: code before it, for agent objects that would remember the previous run.
        called: what code calls to make an agent, where that is not the maker.
    """

    name: str
    extra: str
    packages: tuple[str, ...]
    imports: tuple[str, ...]
    adapter: str = ""
    lines: tuple[str, ...] = ("Agent(tools=wrap(tools, session), ...)",)
    objects: str = ""
    harness: str = ""
    maker: str = ""
    keyword: str = "tools"
    given: str = "wrap(list(given or ()))"
    seam: str = "wrap"
    positional: bool = False
    answer: str = ""
    before: str = ""
    called: tuple[str, ...] = ()

    def is_imported_as(self, module: str) -> bool:
        """Return whether an import of this module shows the framework."""
        return any(module == one or module.startswith(f"{one}.") for one in self.imports)

    @property
    def kit(self) -> str:
        """The name under which the conformance kit tests it, as in `nox -s "adapter(NAME)"`."""
        return self.harness or self.adapter

    @property
    def makers(self) -> tuple[str, ...]:
        """The names under which code calls what makes agents."""
        return self.called or ((self.maker.partition(":")[2],) if self.maker else ())


# The first that fits counts: those that bring another's packages stand before it, and plain Python fits all.
FRAMEWORKS: tuple[Framework, ...] = (
    Framework(
        "LangGraph",
        "langchain",
        (),
        ("langgraph.prebuilt.ToolNode", "langgraph.prebuilt.create_react_agent"),
        "langchain",
        ("ToolNode(wrap(tools, session))",),
        "a compiled graph whose state has `messages`, with or without a checkpointer",
        maker="langgraph.prebuilt:ToolNode",
        positional=True,
        answer='agent.invoke({"messages": [("user", input)]})["messages"][-1].text',
        called=("compile", "create_react_agent"),
    ),
    Framework(
        "LangChain",
        "langchain",
        ("langchain",),
        ("langchain", "langchain_core", "langgraph"),
        "langchain",
        ("create_agent(model, tools, middleware=[Seam(session)])",),
        "an agent of `create_agent`; a chain that begins with one; any other runnable that takes a text",
        maker="langchain.agents:create_agent",
        keyword="middleware",
        given="[Seam(), *(given or ())]",
        seam="Seam",
        answer='agent.invoke({"messages": [("user", input)]})["messages"][-1].text',
    ),
    Framework(
        "Strands Agents",
        "strands",
        ("strands-agents",),
        ("strands",),
        "strands",
        objects="an agent",
        maker="strands:Agent",
        answer="str(agent(input))",
        before="agent.messages.clear()  # each run from the beginning\n",
    ),
    Framework(
        "Pydantic AI",
        "pydantic-ai",
        ("pydantic-ai", "pydantic-ai-slim"),
        ("pydantic_ai",),
        "pydantic_ai",
        ("Agent(model, tools=tools, capabilities=[Seam(session)])", "SeamToolset(toolset, session)"),
        "an agent",
        maker="pydantic_ai:Agent",
        keyword="capabilities",
        given="[*(given or ()), Seam()]",
        seam="Seam",
        answer="agent.run_sync(input).output",
    ),
    Framework(
        "smolagents",
        "smolagents",
        ("smolagents",),
        ("smolagents",),
        "smolagents",
        ("CodeAgent(tools=wrap(tools, session), ...)",),
        "an agent",
        maker="smolagents:MultiStepAgent",
        positional=True,
        answer="str(agent.run(input))",
        called=("CodeAgent", "ToolCallingAgent"),
    ),
    Framework(
        "OpenAI Agents SDK",
        "openai-agents",
        ("openai-agents",),
        ("agents",),
        "openai_agents",
        ("Agent(tools=wrap(tools, session), ...)", "agent.clone(tools=wrap(agent.tools, session))"),
        "an agent",
    ),
    Framework(
        "LlamaIndex",
        "llama-index",
        ("llama-index", "llama-index-core"),
        ("llama_index",),
        "llama_index",
        ("FunctionAgent(tools=wrap(tools, session), ...)",),
        "an agent, an `AgentWorkflow`",
    ),
    Framework(
        "DSPy",
        "dspy",
        ("dspy",),
        ("dspy",),
        "dspy",
        ("dspy.ReAct(signature, tools=wrap(tools, session))",),
        "a module; its first input is the input, and the last field of its prediction is the answer",
    ),
    Framework(
        "Google ADK",
        "google-adk",
        ("google-adk",),
        ("google.adk",),
        "google_adk",
        objects="an agent, an `App`, a `Runner`",
    ),
    Framework(
        "AutoGen",
        "autogen",
        ("autogen-agentchat",),
        ("autogen_agentchat",),
        "autogen",
        ("AssistantAgent(tools=wrap(tools, session), ...)", "workbench=wrap(workbench, session)"),
        "an agent, a team",
    ),
    Framework(
        "Microsoft Agent Framework",
        "agent-framework",
        ("agent-framework", "agent-framework-core"),
        ("agent_framework",),
        "agent_framework",
        ("Agent(client, tools=wrap(tools, session))",),
        "an agent",
    ),
    Framework(
        "CrewAI",
        "crewai",
        ("crewai",),
        ("crewai",),
        "crewai",
        objects="an agent; a crew whose texts have `{input}`, or one other place",
    ),
    Framework(
        "Claude Agent SDK",
        "claude-agent-sdk",
        ("claude-agent-sdk",),
        ("claude_agent_sdk",),
        "claude_agent_sdk",
        ("create_sdk_mcp_server(name, tools=wrap(tools, session))",),
        "`ClaudeAgentOptions`, or a client with them: each run is a query of its own",
    ),
    # Evaluations of agents of any kind import it, so an import does not say how the agent is made.
    Framework("Inspect AI", "bench", (), (), "inspect", ("react(tools=wrap(tools, session))",)),
    Framework(
        "a loop on OpenAI's interfaces",
        "",
        ("openai",),
        ("openai",),
        lines=("tool_messages(calls, wrap(tools, session))", "call_outputs(output, wrap(tools, session))"),
        harness="loops",
    ),
    Framework(
        "a loop on Anthropic's interfaces",
        "",
        ("anthropic",),
        ("anthropic",),
        lines=("tool_results(content, wrap(tools, session))", "beta_tool(wrap(tool, session))"),
        harness="loops",
    ),
    Framework("plain Python", "", (), (), lines=("wrap(tools, session)", "@tool"), harness="plain"),
)
