"""One Python module of a project, read by `ast`: its imports, its tools, and what in it runs or makes an agent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Decorators that make a tool, by the last part of their names.
DECORATORS = frozenset({"tool", "function_tool", "tool_plain", "beta_tool", "ai_function"})
# What people call the function that runs their agent with a text, the likeliest first.
RUNNERS = ("run", "run_agent", "agent", "ask", "answer", "chat", "invoke", "handle", "respond", "solve", "main")


@dataclass(frozen=True, slots=True)
class AgentRunner:
    """A function that runs the agent.

    Attributes:
        name: its name.
        takes_input: whether it takes the input.
        is_async: whether it must be awaited.
    """

    name: str
    takes_input: bool
    is_async: bool


@dataclass(frozen=True, slots=True)
class ProjectModule:
    """What one file defines.

    Attributes:
        file: its path, relative to the project.
        name: the module's name.
        imports: the modules that it imports.
        functions: its functions by name, in their order.
        decorated: functions that a decorator makes a tool, by the tool's name.
        guarded: those of them that are Sealegs' own already.
        listed: functions of it that stand in a list or dict of it, or whose names stand in a declaration of tools.
        containers: these lists and dicts, each as `list` or `dict`.
        runner: what runs the agent; None where nothing looks like it.
        agents: names of objects that calls made, by the name of what was called.
        factories: functions without arguments that return such an object, by the name of what was called.
    """

    file: Path
    name: str
    imports: frozenset[str]
    functions: tuple[str, ...]
    decorated: dict[str, str]
    guarded: frozenset[str]
    listed: tuple[str, ...]
    containers: dict[str, str]
    runner: AgentRunner | None
    agents: dict[str, str]
    factories: dict[str, str]

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of its tools."""
        return tuple(dict.fromkeys((*self.decorated, *self.listed)))


def read_module(folder: Path, file: Path) -> ProjectModule | None:
    """Read a file of a project; None where it is no Python that this Python can read."""
    try:
        tree = ast.parse((folder / file).read_text("utf-8-sig"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    decorated = {tool: name for name, node in functions.items() for tool in _made_tools(node)}
    imports = frozenset(_imports(tree))
    ours = {alias.asname or alias.name for alias in _imported_of(tree, "sealegs")}
    guarded = {tool for tool, name in decorated.items() if _is_ours(functions[name], ours)}
    containers = list(_containers(tree, functions))
    named = [name for name in _declared_names(tree) if name in functions]
    plain = [one for _, _, own in containers for one in own] + named
    runner = _runner(functions, set(decorated.values()) | set(plain))
    listed = plain or _called_by(runner, functions) if not decorated else plain
    return ProjectModule(
        file,
        ".".join(file.with_suffix("").parts).removesuffix(".__init__"),
        imports,
        tuple(functions),
        decorated,
        frozenset(guarded),
        tuple(name for name in dict.fromkeys(listed) if name not in decorated.values()),
        {name: kind for name, kind, _ in containers},
        runner,
        dict(_made_agents(tree)),
        {name: made for name, node in functions.items() for made in _returned(node)},
    )


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imported_of(tree: ast.Module, module: str) -> Iterator[ast.alias]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from node.names


def _last_name(node: ast.expr) -> str:
    """The last part of what is called or named, such as `tool` of `agents.tool(name="x")`."""
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else ""


def _made_tools(function: Function) -> Iterator[str]:
    """The name of the tool that a decorator makes of a function, if one does."""
    for one in function.decorator_list:
        if _last_name(one) in DECORATORS:
            given = [word.value for word in one.keywords if word.arg == "name"] if isinstance(one, ast.Call) else []
            given += one.args[:1] if isinstance(one, ast.Call) else []
            texts = [word.value for word in given if isinstance(word, ast.Constant) and isinstance(word.value, str)]
            yield texts[0] if texts else function.name
            return


def _is_ours(function: Function, imported: set[str]) -> bool:
    for one in function.decorator_list:
        inner = one.func if isinstance(one, ast.Call) else one
        whole = isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "sealegs"
        if whole or (isinstance(inner, ast.Name) and inner.id in imported and inner.id == "tool"):
            return True
    return False


def _containers(tree: ast.Module, functions: dict[str, Function]) -> Iterator[tuple[str, str, list[str]]]:
    """Lists and dicts of functions: their names, their kinds, and the names of the module's own functions in them."""
    for name, value in _assignments(tree):
        if isinstance(value, (ast.List, ast.Dict)):
            parts = value.values if isinstance(value, ast.Dict) else value.elts
            names = [part.id for part in parts if isinstance(part, ast.Name)]
            own = [one for one in names if one in functions]
            if own and len(names) == len(parts):
                yield name, "dict" if isinstance(value, ast.Dict) else "list", own


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        if value is not None:
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))


def _declared_names(tree: ast.Module) -> Iterator[str]:
    """The names in declarations of tools, such as `{"type": "function", "function": {"name": "weather"}}`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            if {"name"} < set(keys) and {"parameters", "input_schema", "description"} & set(keys):
                value = node.values[keys.index("name")]
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _runner(functions: dict[str, Function], tools: set[str]) -> AgentRunner | None:
    for name in RUNNERS:
        node = functions.get(name)
        if node is None or name in tools:
            continue
        places = [*node.args.posonlyargs, *node.args.args]
        needed = len(places) - len(node.args.defaults)
        required_keywords = any(default is None for default in node.args.kw_defaults)
        if needed <= 1 and not required_keywords:
            return AgentRunner(name, bool(places), isinstance(node, ast.AsyncFunctionDef))
    return None


def _called_by(runner: AgentRunner | None, functions: dict[str, Function]) -> list[str]:
    """The module's functions that the runner calls itself: in plain Python these are likely its tools."""
    if runner is None:
        return []
    calls = [node.func for node in ast.walk(functions[runner.name]) if isinstance(node, ast.Call)]
    names = [call.id for call in calls if isinstance(call, ast.Name)]
    return [name for name in names if name in functions and name != runner.name and not name.startswith("_")]


def _made_agents(tree: ast.Module) -> Iterator[tuple[str, str]]:
    yield from ((name, _last_name(value)) for name, value in _assignments(tree) if isinstance(value, ast.Call))


def _returned(function: Function) -> Iterator[str]:
    """What a function without arguments returns the call of."""
    arguments = function.args
    if arguments.posonlyargs or len(arguments.args) > len(arguments.defaults):
        return
    local = {
        target.id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Return):
            value = local.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            if isinstance(value, ast.Call):
                yield _last_name(value)
