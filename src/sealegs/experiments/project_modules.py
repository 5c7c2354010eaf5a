"""One Python module of a project, read by `ast`: its imports, its tools, and its parts that run or make an agent.

A function of another module that it lists is a tool of that one; `project_imports` adds it there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
Imported = tuple[str, str]  # a module's name, and a name in it
# Decorators that make a tool, by the last part of their names.
DECORATORS = frozenset({"tool", "function_tool", "tool_plain", "beta_tool", "ai_function"})
# What people call the function that runs their agent with a text, the likeliest first.
RUNNERS = ("run", "run_agent", "agent", "ask", "answer", "chat", "invoke", "handle", "respond", "solve", "main")


# What takes a list of tools first or second, by the last part of its name; any call takes one as `tools=`.
TAKERS = frozenset({"create_agent", "create_react_agent", "ToolNode", "bind_tools", "CodeAgent", "ToolCallingAgent"})


@dataclass(frozen=True, slots=True)
class ToolContainer:
    """A list or dict of tools at the top of a module.

    Attributes:
        name: its name.
        form: `list`, `tuple` or `dict`.
        values: what stands in it, as expressions in the module.
        keys: those of a dict; what is quoted is a text, anything else is an expression in the module.
    """

    name: str
    form: str
    values: tuple[str, ...]
    keys: tuple[str, ...] = ()


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
    """The definitions in one file.

    Attributes:
        file: its path, relative to the project.
        name: the module's name.
        imports: the modules that it imports.
        functions: its functions by name, in their order.
        decorated: functions that a decorator makes a tool, by the tool's name.
        guarded: those of them that are Sealegs' own already.
        listed: its functions in a list or dict of it, and those that a declaration of tools names.
        containers: the lists and dicts that hold functions of it.
        imported: the names that it imports from modules, each with the module and its name there.
        borrowed: functions of other modules that it lists.
        called: functions of other modules that its runner calls, if no list and no decorator says what a tool is.
        runner: the function that runs the agent; None if none looks like it.
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
    containers: tuple[ToolContainer, ...]
    imported: dict[str, Imported]
    borrowed: tuple[Imported, ...]
    called: tuple[Imported, ...]
    runner: AgentRunner | None
    agents: dict[str, str]
    factories: dict[str, str]

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of its tools."""
        return tuple(dict.fromkeys((*self.decorated, *self.listed)))


def read_module(folder: Path, file: Path) -> ProjectModule | None:
    """Read a file of a project; None where it is not Python that this Python can read."""
    try:
        tree = ast.parse((folder / file).read_text("utf-8-sig"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
    name = ".".join(file.with_suffix("").parts)
    package = name.rpartition(".")[0]
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    decorated = {tool: name for name, node in functions.items() for tool in _made_tools(node)}
    ours = {alias.asname or alias.name for alias in _imported_of(tree, "sealegs")}
    guarded = {tool for tool, name in decorated.items() if _is_ours(functions[name], ours)}
    imported = dict(_imported_names(tree, package))
    containers, parts = _containers(tree, functions), [*_listed_parts(tree)]
    named = [name for name in _declared_names(tree) if name in functions]
    plain = [one for one in parts if one in functions] + named
    borrowed = [found for one in parts if (found := _origin(one, imported))]
    runner = _runner(functions, set(decorated.values()) | set(plain))
    # A guess that is made only where nothing is listed or declared: what the agent calls itself may be its tools.
    called = [] if plain or borrowed or decorated else list(_called_by(runner, functions))
    plain += [one for one in called if one in functions]
    return ProjectModule(
        file=file,
        name=name.removesuffix(".__init__"),
        imports=frozenset(_imports(tree)),
        functions=tuple(functions),
        decorated=decorated,
        guarded=frozenset(guarded),
        listed=tuple(name for name in dict.fromkeys(plain) if name not in decorated.values()),
        containers=tuple(containers),
        imported=imported,
        borrowed=tuple(dict.fromkeys(borrowed)),
        called=tuple(dict.fromkeys(found for one in called if (found := _origin(one, imported)))),
        runner=runner,
        agents=dict(_made_agents(tree)),
        factories={name: made for name, node in functions.items() for made in _returned(node)},
    )


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imported_names(tree: ast.Module, package: str) -> Iterator[tuple[str, Imported]]:
    """The names at hand here that other modules have; of a module itself, its own name there is empty."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname or alias.name), (alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package itself, each further dot a package above it.
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])]).strip(".")
            for alias in node.names:
                yield (alias.asname or alias.name), (module, alias.name)


def _origin(text: str, imported: dict[str, Imported]) -> Imported | None:
    """The origin of a name in an expression such as `find` or `tools.find`; None if it is not imported."""
    if text in imported:
        return imported[text]
    prefix, _, name = text.rpartition(".")
    module, own = imported.get(prefix, ("", ""))
    return (f"{module}.{own}".strip("."), name) if module else None


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


def _containers(tree: ast.Module, functions: dict[str, Function]) -> Iterator[ToolContainer]:
    """Lists and dicts at the top that hold functions of the module, and nothing but names."""
    for name, value in _assignments(tree):
        parts = _names_in(value)
        if any(one in functions for one in parts):
            keys = value.keys if isinstance(value, ast.Dict) else []
            names = tuple(ast.unparse(key) for key in keys if key is not None and _is_text_or_name(key))
            if len(names) == len(keys):
                yield ToolContainer(name, type(value).__name__.lower(), tuple(parts), names)


def _is_text_or_name(key: ast.expr) -> bool:
    return isinstance(key, (ast.Name, ast.Attribute)) or (isinstance(key, ast.Constant) and isinstance(key.value, str))


def _names_in(value: ast.expr | None) -> list[str]:
    """The entries of a list or dict if all of them are names, such as `find` or `tools.find`; else nothing."""
    if not isinstance(value, (ast.List, ast.Tuple, ast.Dict)):
        return []
    parts = value.values if isinstance(value, ast.Dict) else value.elts
    if isinstance(value, ast.Dict) and None in value.keys:  # `**others`
        return []
    named = [part for part in parts if isinstance(part, (ast.Name, ast.Attribute))]
    return [ast.unparse(part) for part in named] if len(named) == len(parts) else []


def _listed_parts(tree: ast.Module) -> Iterator[str]:
    """The names in lists and dicts at the top, and in the lists of tools that calls are given."""
    for _, value in _assignments(tree):
        yield from _names_in(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = [word.value for word in node.keywords if word.arg == "tools"]
            given += node.args[:2] if _last_name(node) in TAKERS else []
            yield from (name for value in given for name in _names_in(value))


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
            # A name alone may be anybody's. `parameters` is OpenAI's key, `input_schema` Anthropic's.
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


def _called_by(runner: AgentRunner | None, functions: dict[str, Function]) -> Iterator[str]:
    """The names that the runner itself calls, private ones aside: in plain Python its tools are likely among them."""
    if runner is None:
        return
    calls = [node.func for node in ast.walk(functions[runner.name]) if isinstance(node, ast.Call)]
    for call in calls:
        if isinstance(call, (ast.Name, ast.Attribute)):
            name = ast.unparse(call)
            if name != runner.name and not name.rpartition(".")[2].startswith("_"):
                yield name


def _made_agents(tree: ast.Module) -> Iterator[tuple[str, str]]:
    yield from ((name, _last_name(value)) for name, value in _assignments(tree) if isinstance(value, ast.Call))


def _returned(function: Function) -> Iterator[str]:
    """The names whose calls a function without arguments returns."""
    arguments = function.args
    # It could not be called without knowing what to give it.
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
