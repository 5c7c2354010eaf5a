"""The parts of a project's `sealegs_agent.py`: they put its tools under the session, and run its agent."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent

from sealegs.adapters.frameworks import Framework
from sealegs.experiments.project_imports import import_name, in_import_order
from sealegs.experiments.project_modules import ProjectModule, ToolContainer
from sealegs.experiments.project_scan import ScannedProject

INPUT = "Hello"
LATE = "# Imported only now that the seam is in place.\n"
NO_AGENT = (
    "# EDIT: nothing was found that runs the agent; call it here and return its answer\n"
    'raise NotImplementedError("call the agent in sealegs_agent.py, then run: sealegs doctor")'
)


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """The entry of an agent: a function that runs or makes it, or the agent object.

    Attributes:
        module: the module that defines it.
        name: its name there.
        kind: a function that runs the agent, an agent object, or a function that makes one.
        takes_input: whether the function takes the input.
        is_async: whether the function must be awaited.
    """

    module: ProjectModule
    name: str
    kind: str
    takes_input: bool = True
    is_async: bool = False


def glue_parts(project: ScannedProject) -> tuple[str, dict[str, str]]:
    """The template of the glue, and what fills it."""
    framework, entry = project.framework, agent_entry(project)
    values = {"input": INPUT, "imports": _path_lines(project), "adapter": framework.adapter}
    # Patched where the framework takes tools, so that none of the project's own has to be found and listed.
    if framework.maker:
        target = framework.maker.replace(":", ".")
        module = framework.maker.partition(":")[0]
        maker = framework.maker.partition(":")[2]
        is_class = maker[:1].isupper()
        values |= {
            "imports": f"{values['imports']}\nimport {module}\n" if values["imports"] else f"\nimport {module}\n",
            "seam": framework.seam,
            "made": f"{maker} made" if is_class else f"agent that {maker} makes",
            "target": f"{target}.__init__" if is_class else target,
            "patch": _patch(framework, is_class),
        }
        return "glue_maker", {**values, **_project_parts(entry, framework)}
    if framework.adapter:
        # One function may be a tool under two names, and is imported and wrapped once.
        names = [(module, module.decorated.get(tool, tool)) for tool, module in project.tools.items()]
        wrapped = {f"from {import_name(module)} import {name}": name for module, name in names}
        values["imports"] = "\n".join([*filter(None, [values["imports"]]), *wrapped]) + "\n"
        return "glue_wrapped", {**values, "tools": ", ".join(wrapped.values())}
    wired = in_import_order(module for module in project.modules if set(module.tools) - module.guarded)
    # The others are imported by `_guards`, each after those before it are wired: it may copy their functions.
    imports = [f"import {import_name(module)}" for module in wired[:1]]
    lines = ["from sealegs import tool"] if wired else []
    values["imports"] = "\n".join([*filter(None, [values["imports"]]), *imports, "", *lines, ""]).lstrip("\n")
    return "glue_plain", {**values, "tools": _guards(project, wired), **_project_parts(entry, framework)}


def agent_entry(project: ScannedProject) -> AgentEntry | None:
    """The likeliest entry of the agent: a function with an input before an agent object, and these before the rest."""
    found: list[tuple[int, AgentEntry]] = []
    makers = set(project.framework.makers)
    for module in project.modules:
        one = module.runner
        if one is not None:
            entry = AgentEntry(module, one.name, "runner", one.takes_input, one.is_async)
            # A function without an input runs something, but nobody can say what it is asked: an object of the agent is
            # better.
            found.append((0 if one.takes_input else 3, entry))
        found += [(1, AgentEntry(module, name, "object")) for name, made in module.agents.items() if made in makers]
        found += [(2, AgentEntry(module, name, "factory")) for name, made in module.factories.items() if made in makers]
    # We do not know how to run an object of this framework, nor what it answers.
    if not project.framework.answer:
        found = [(rank, entry) for rank, entry in found if entry.kind == "runner"]
    return min(found, key=lambda one: one[0])[1] if found else None


def _path_lines(project: ScannedProject) -> str:
    """The lines that make modules in `src` importable, if the project has any."""
    if not any(module.name.startswith("src.") for module in project.modules):
        return ""
    return 'import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent / "src"))\n'


def _patch(framework: Framework, is_class: bool) -> str:
    """The code that takes the maker's place: it puts the seam into the argument that takes it."""
    call = "_make(self, *args, **more)" if is_class else "return _make(*args, **more)"
    name = framework.keyword
    head = "def _make_under_seam(self, *args, **more):" if is_class else "def _make_under_seam(*args, **more):"
    if framework.positional:
        given = framework.given.replace("given", name)
        return head.replace("*args", f"{name}, *args") + "\n    " + call.replace("*args", f"{given}, *args")
    return f'{head}\n    given = more.get("{name}")\n    more["{name}"] = {framework.given}\n    {call}'


def _project_parts(entry: AgentEntry | None, framework: Framework) -> dict[str, str]:
    """The code that imports the project's agent, and the body of `run`."""
    if entry is None:
        return {
            "project": "# EDIT: import the agent here, after the seam is in place",
            "body": indent(NO_AGENT, "    "),
        }
    is_object = entry.kind == "object"
    name = "agent" if is_object else "project_agent" if entry.name in ("run", "check", "agent") else entry.name
    alias = f" as {name}" if name != entry.name else ""
    line = f"{LATE}from {import_name(entry.module)} import {entry.name}{alias}  # noqa: E402"
    if entry.kind == "runner":
        call = f"{name}({'input' if entry.takes_input else ''})"
        body = f"import asyncio\n\nreturn str(asyncio.run({call}))" if entry.is_async else f"return str({call})"
        return {"project": line, "body": indent(body, "    ")}
    made = framework.before if is_object else f"agent = {name}()\n"
    return {"project": line, "body": indent(f"{made}return {framework.answer}", "    ")}


def _guards(project: ScannedProject, modules: list[ProjectModule]) -> str:
    """The lines that put plain functions under the session."""
    if not modules:
        marked = any(module.guarded for module in project.modules)
        comment = (
            "The tools are marked with @sealegs.tool already." if marked else "EDIT: no tool was found; mark each: "
        )
        return f"# {comment}" + ("" if marked else "module.name = tool(module.name), with `from sealegs import tool`")
    lines = [
        "# Each tool passes the active session; without one, nothing changes. EDIT: take out what is not a tool, and",
        "# say what each does: tool(effects=False)(...) only reads and may be repeated, tool(effects=True)(...) acts.",
    ]
    for number, module in enumerate(modules):
        place = import_name(module)
        lines += ["", f"import {place}  # noqa: E402 (with what is wired above)"] if number else []
        own = [module.decorated.get(name, name) for name in module.tools if name not in module.guarded]
        lines += [f"{place}.{name} = tool({place}.{name})" for name in dict.fromkeys(own)]
        lines += [_refilled(place, held) for held in module.containers]
    return "\n".join(lines)


def _refilled(place: str, held: ToolContainer) -> str:
    """The line that puts the wired functions into a list or dict that took them before."""
    values = [f"{place}.{name}" for name in held.values]
    if held.form == "dict":
        keys = [key if key[:1] in "'\"" else f"{place}.{key}" for key in held.keys]
        pairs = ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True))
        return f"{place}.{held.name}.update({{{pairs}}})"
    if held.form == "tuple":
        return f"{place}.{held.name} = ({', '.join(values)},)"
    # In place, as with `update` above: what has imported the list holds the same object and would miss a new one.
    return f"{place}.{held.name}[:] = [{', '.join(values)}]"
