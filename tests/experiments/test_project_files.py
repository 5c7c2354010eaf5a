"""`sealegs init`: what it finds in small projects, and that what it writes runs as it stands."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sealegs.experiments.project_files import project_files, write_project_files
from sealegs.experiments.project_glue import agent_entry
from sealegs.experiments.project_scan import scan_project
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.plan_files import read_plan
from sealegs.faults.triggers import First, Tool
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, build_record
from tests import needs

FILES = ["sealegs_agent.py", "plan.yaml", "test_faults.py", ".github/workflows/sealegs.yml"]
OWN_MODULES = ("sealegs_agent", "bot", "tools")
PLAIN = '''
def weather(city):
    """The weather in a city."""
    return {"city": city, "degrees": 12}


TOOLS = {"weather": weather}


def run(question):
    """Ask at most three times, through the table of tools and past it."""
    for ask in (TOOLS["weather"], weather, weather):
        try:
            found = ask("Oslo")
            if found["degrees"] == 12:
                return f"{found['degrees']} degrees"
        except Exception as error:
            message = str(error)
    raise RuntimeError(message)
'''
LANGCHAIN = '''
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"{city}: 12 degrees"


class Scripted(BaseChatModel):
    """A model that asks for the weather until it has it."""

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, *args, **kwargs):
        results = [message.text for message in messages if isinstance(message, ToolMessage)]
        if results and "12 degrees" in results[-1]:
            message = AIMessage(content=results[-1])
        else:
            call = {"id": f"call_{len(results)}", "name": "weather", "args": {"city": "Oslo"}}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


graph = create_agent(Scripted(), [weather])
'''
RETRIED = '''

def ask(question: str) -> str:
    """Run the agent again where a tool failed."""
    for left in (2, 1, 0):
        try:
            return graph.invoke({"messages": [("user", question)]})["messages"][-1].text
        except Exception:
            if not left:
                raise
'''
TOOL_NODE = LANGCHAIN.replace(
    "from langchain.agents import create_agent",
    "from langgraph.graph import END, START, MessagesState, StateGraph\n"
    "from langgraph.prebuilt import ToolNode, tools_condition",
).replace(
    "graph = create_agent(Scripted(), [weather])",
    """
model = Scripted()
drawn = StateGraph(MessagesState)
drawn.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
drawn.add_node("tools", ToolNode([weather], handle_tool_errors=True))
drawn.add_edge(START, "model")
drawn.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
drawn.add_edge("tools", "model")
graph = drawn.compile()
""",
)
OPENAI = '''
import json

from openai.types.chat import ChatCompletion

DECLARED = [
    {
        "type": "function",
        "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
]


def weather(city: str) -> dict:
    return {"city": city, "degrees": 12}


class Client:
    """A client whose model asks for the weather until it has it."""

    def create(self, messages, tools):
        last = messages[-1]["content"]
        answered = '"degrees": 12' in last
        call = {"id": f"call_{len(messages)}", "type": "function"}
        call["function"] = {"name": "weather", "arguments": '{"city": "Oslo"}'}
        message = {"role": "assistant", "content": last} if answered else {"role": "assistant", "tool_calls": [call]}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        data = {"id": "x", "created": 0, "model": "m", "object": "chat.completion", "choices": [choice]}
        return ChatCompletion.model_validate(data)


async def answer(question: str, most: int = 5) -> str:
    messages = [{"role": "user", "content": question}]
    for _ in range(most):
        message = Client().create(messages, DECLARED).choices[0].message
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                result = globals()[call.function.name](**json.loads(call.function.arguments))
            except Exception as error:
                result = {"error": str(error)}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return ""
'''


def project(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        file = folder / name.replace("__", "/").replace("_py", ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in the folder."""
    whole = [sys.executable, "-B", "-m", *words]
    return subprocess.run(whole, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def assert_held(folder: Path) -> None:
    """What was written for a project whose agent is sound runs, and says so."""
    made = command(folder, "sealegs", "init")
    assert made.returncode == 0, made.stderr
    assert all((folder / name).is_file() for name in FILES)
    words = ["--check", "sealegs_agent:check", "--plan", "plan.yaml"]
    tried = command(folder, "sealegs", "test", "sealegs_agent:run", *words)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert "HELD: it passed 20 of 20 runs under faults" in tried.stdout
    tested = command(folder, "pytest", "-p", "no:cacheprovider", "test_faults.py")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "1 fault delivered" in tested.stdout


@pytest.mark.parametrize(
    ("needed", "text"),
    [("", PLAIN), ("langchain", LANGCHAIN + RETRIED), ("langgraph", TOOL_NODE), ("openai", OPENAI)],
    ids=["plain", "langchain", "langgraph", "openai"],
)
def test_what_is_written_runs(tmp_path: Path, needed: str, text: str) -> None:
    if needed:
        pytest.importorskip(needed, reason=needs.module(needed))
    assert_held(project(tmp_path, my_agent_py=text))


def test_a_project_in_src_is_imported_as_it_is_installed(tmp_path: Path) -> None:
    assert_held(project(tmp_path, src__app____init___py="", src__app__agent_py=PLAIN))


def test_tools_of_another_module_are_wired_before_the_agent_takes_them(tmp_path: Path) -> None:
    tools, rest = PLAIN.split("TOOLS = ")
    text = f"from tools import weather\n\nTOOLS = {rest}"
    folder = project(tmp_path, tools_py=f"{tools}\nALL = [weather]\n", bot_py=text)
    assert scan_project(folder).tools["weather"].name == "tools"
    assert_held(folder)


TOOLS_PY = (
    PLAIN.split("TOOLS = ")[0]
    + '''

def humidity(city):
    """The air."""
    return {"city": city, "percent": 60}
'''
)
LISTED = """
{imported}

{listed}


def run(question):
    for _ in range(3):
        try:
            return f"{{{ask}('Oslo')['degrees']}} degrees"
        except Exception as error:
            message = str(error)
    raise RuntimeError(message)
"""


@pytest.mark.parametrize(
    ("imported", "listed", "ask"),
    [
        ("from tools import humidity, weather", "TOOLS = [weather, humidity]", "TOOLS[0]"),
        ("from tools import humidity, weather", "TOOLS = (weather, humidity)", "weather"),
        ("from tools import weather as w, humidity", "TOOLS = {'weather': w, 'air': humidity}", "TOOLS['weather']"),
        ("import tools", "TOOLS = [tools.weather, tools.humidity]", "TOOLS[0]"),
        ("import tools as t", "AGENT = dict(tools=[t.weather, t.humidity])", "AGENT['tools'][0]"),
        (
            "from tools import humidity, weather",
            "def own(city):\n    return weather(city)\n\nTOOLS = [own, humidity, weather]",
            "TOOLS[0]",
        ),
        (
            "from tools import humidity, weather",
            "def air(city):\n    return humidity(city)['percent']",
            "air('Oslo') and weather",
        ),
    ],
)
def test_tools_that_a_list_imports_are_found_where_they_are_defined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imported: str, listed: str, ask: str
) -> None:
    text = LISTED.format(imported=imported, listed=listed, ask=ask)
    folder = project(tmp_path, tools_py=TOOLS_PY, bot_py=text)
    found = scan_project(folder).tools
    own = {"own": "bot"} if "own" in listed else {"air": "bot"} if "air(" in listed else {}
    there = {"weather": "tools"} if "air(" in listed else {"weather": "tools", "humidity": "tools"}
    assert {name: module.name for name, module in found.items()} == there | own
    write_project_files(folder, project_files(scan_project(folder)))
    # The same in this process as `sealegs test` does in its own: every call passes the session, and passes it once.
    monkeypatch.syspath_prepend(str(folder))
    for name in OWN_MODULES:  # of another test's project
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        glue = importlib.import_module("sealegs_agent")
        recorder = Recorder(VirtualClock())
        recorder.start("wired", {})
        plan = Plan(
            name="p", rules=(Rule(match=Tool("weather"), when=First(1), fault=Error(status=503), moment="before"),)
        )
        with Session(plan, watcher=recorder, clock=VirtualClock()):
            assert glue.run("?") == "12 degrees"
    finally:
        for name in OWN_MODULES:
            sys.modules.pop(name, None)
    recorder.finish("answered", answer="12 degrees", detail="")
    calls = [turn.call.tool for turn in build_record(recorder.events).turns]
    assert calls == [*own, "weather"] * 2


def test_tools_are_followed_through_a_package_that_gives_them_on(tmp_path: Path) -> None:
    text = LISTED.format(
        imported="from .tools import humidity, weather", listed="TOOLS = [weather, humidity]", ask="TOOLS[0]"
    )
    package = {
        "__init__.py": "",
        "agent.py": text,
        "tools/__init__.py": "from .desk import humidity\nfrom app.tools.desk import weather\n",
        "tools/desk.py": TOOLS_PY,
    }
    for name, code in package.items():
        file = tmp_path / "src" / "app" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
    assert {name: module.name for name, module in scan_project(tmp_path).tools.items()} == {
        "weather": "src.app.tools.desk",
        "humidity": "src.app.tools.desk",
    }


def test_lists_of_other_things_are_no_tools(tmp_path: Path) -> None:
    text = "import math\nfrom tools import humidity, weather\nfrom somewhere import strange\n"
    text += "NAMES = ['humidity']\nOF_OTHERS = [math.sqrt, strange]\nMIXED = [weather, 3]\n"
    folder = project(tmp_path, tools_py=TOOLS_PY, bot_py=text + "TOOLS = [weather]\n")
    assert list(scan_project(folder).tools) == ["weather"]
    circle = project(tmp_path / "circle", one_py="from two import a\nTOOLS = [a]\n", two_py="from one import a\n")
    assert scan_project(circle).tools == {}


def test_a_framework_agent_made_at_import_is_found(tmp_path: Path) -> None:
    found = scan_project(project(tmp_path, my_agent_py=LANGCHAIN))
    entry = agent_entry(found)
    assert (found.framework.name, found.found_by) == ("LangChain", "my_agent.py imports langchain.agents")
    assert entry is not None
    assert (entry.name, entry.kind) == ("graph", "object")
    glue = project_files(found)["sealegs_agent.py"]
    assert "from my_agent import graph as agent" in glue
    compile(glue, "sealegs_agent.py", "exec")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("requirements.txt", "# models\ncrewai==1.15\n"),
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["crewai>=1.15"]\n'),
        ("pyproject.toml", '[dependency-groups]\nagents = ["CrewAI"]\n'),
        ("uv.lock", '[[package]]\nname = "crewai"\nversion = "1.15.0"\n'),
    ],
)
def test_dependencies_tell_the_framework(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    found = scan_project(tmp_path)
    assert (found.framework.name, found.found_by) == ("CrewAI", f"{file} asks for crewai")
    texts = project_files(found)
    assert "NotImplementedError" in texts["sealegs_agent.py"], "the user makes the agent"
    for name in FILES[:1] + FILES[2:3]:
        compile(texts[name], name, "exec")


def test_what_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    project(tmp_path, broken_py="def run(:\n", my_agent_py=PLAIN)
    (tmp_path / "binary.py").write_bytes(bytes(range(256)))
    for name in ("my-agent v2.py", "class.py"):  # can be run, and not imported
        (tmp_path / name).write_text(PLAIN, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[broken", encoding="utf-8")
    (tmp_path / ".venv" / "lib").mkdir(parents=True)
    project(tmp_path / ".venv" / "lib", crewai_py="import crewai\n")
    found = scan_project(tmp_path)
    assert [module.name for module in found.modules] == ["my_agent"]
    assert found.framework.name == "plain Python"


def test_a_project_in_typescript_gets_the_proxy(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"agent": "tsx agent.ts"}}', encoding="utf-8")
    shop = {"command": "npx", "args": ["-y", "shop"], "env": {"KEY": "k"}}
    servers = {"mcpServers": {"shop": shop, "far": {"url": "http://far/mcp"}}}
    (tmp_path / ".mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    made = command(tmp_path, "sealegs", "init")
    assert made.returncode == 0, made.stderr
    assert "sealegs proxy --url http://far/mcp" in made.stdout
    written = json.loads((tmp_path / "sealegs-mcp.json").read_text("utf-8"))["mcpServers"]
    assert written["shop"] == {**shop, "command": "sealegs", "args": ["proxy", "--", "npx", "-y", "shop"]}
    assert not (tmp_path / "sealegs_agent.py").exists()
    steps = yaml.safe_load((tmp_path / FILES[3]).read_text("utf-8"))["jobs"]["faults"]["steps"]
    assert any('sealegs test "npm run --silent agent -- {input}"' in step.get("run", "") for step in steps)


def test_the_job_and_the_plan_can_be_read(tmp_path: Path) -> None:
    project(tmp_path, my_agent_py=LANGCHAIN)
    (tmp_path / "requirements.txt").write_text("langchain\n", encoding="utf-8")
    texts = project_files(scan_project(tmp_path))
    steps = yaml.safe_load(texts[FILES[3]])["jobs"]["faults"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[0] == 'pip install "sealegs[langchain,report]" -r requirements.txt'
    assert runs[1].startswith("sealegs test sealegs_agent:run --plan plan.yaml")
    write_project_files(tmp_path, texts)
    assert read_plan(tmp_path / "plan.yaml").rules[0].moment == "before"
    assert all(len(text.splitlines()) <= 45 for text in texts.values()), "each is small enough to read"


def test_nothing_is_overwritten_and_nothing_is_half_written(tmp_path: Path) -> None:
    project(tmp_path, my_agent_py=PLAIN)
    (tmp_path / "plan.yaml").write_text("mine", encoding="utf-8")
    made = command(tmp_path, "sealegs", "init")
    assert made.returncode == 2
    assert "plan.yaml is in" in made.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_agent.py", "plan.yaml"]
    shown = command(tmp_path, "sealegs", "init", "--dry-run")
    assert shown.returncode == 0
    assert [line[4:-4] for line in shown.stdout.splitlines() if line.startswith("==> ")] == FILES
    assert (tmp_path / "plan.yaml").read_text("utf-8") == "mine"
    (tmp_path / "plan.yaml").unlink()
    (tmp_path / ".github").write_text("a file", encoding="utf-8")
    with pytest.raises(UserError, match="is a file"):
        write_project_files(tmp_path, project_files(scan_project(tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".github", "my_agent.py"]
