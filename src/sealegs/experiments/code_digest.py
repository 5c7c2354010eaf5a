"""A digest of the files that hold an agent's code, by which an agent is known as the one whose runs were kept.

It covers the modules of the agent and of the check, and every module of the same folder that is loaded when the
experiment begins. An agent object of a framework counts by the module that it is named in. It does not cover what lies
elsewhere: prompts in other folders, libraries, a model's version, an endpoint's server, an agent object without a name.
"""

from __future__ import annotations

import hashlib
import inspect
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sealegs.experiments.agent_under_test import AgentUnderTest, CallableAgent
from sealegs.experiments.command_agent import CommandAgent

LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def code_digest(agent: AgentUnderTest, check: Any) -> str:
    """SHA-256 of the code of an agent and its check, in hexadecimal; empty where there is no file of it."""
    files = set(_files(agent, check))
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest() if files else ""


def _files(agent: AgentUnderTest, check: Any) -> Iterator[Path]:
    if isinstance(agent, CommandAgent):
        # Every word of a command line may be a file of the agent: the program, a script, a configuration.
        words = [shutil.which(agent.words[0]) or "", *agent.words[1:]]
        yield from (Path(word) for word in words if word and Path(word).is_file())
    own = [agent.function] if isinstance(agent, CallableAgent) else []
    named = getattr(sys.modules.get(agent.name.partition(":")[0]), "__file__", None) if ":" in agent.name else None
    found = [_file_of(function) for function in [*own, *([check] if check is not None else [])]]
    for file in [*found, Path(named).resolve() if named else None]:
        if file is not None and file.is_file():
            yield file
            yield from _loaded_beside(file.parent)


def _file_of(function: Any) -> Path | None:
    try:
        # Unwrapped, since the file of a decorator says nothing of whether the agent has changed.
        file = inspect.getsourcefile(inspect.unwrap(function) if callable(function) else type(function))
    except TypeError:
        file = inspect.getsourcefile(type(function)) if type(function).__module__ != "builtins" else None
    return Path(file).resolve() if file and Path(file).is_file() else None


def _loaded_beside(folder: Path) -> Iterator[Path]:
    """The files of loaded modules in this folder or below it, unless it is one of libraries."""
    if str(folder).startswith(LIBRARIES):
        return
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            path = Path(file).resolve()
            # Some modules that a library makes (torch's `_classes`) name a file that is not there.
            if path.is_relative_to(folder) and not str(path).startswith(LIBRARIES) and path.is_file():
                yield path
