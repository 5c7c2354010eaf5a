"""How a Python package is built, beside others: lengths, circles of imports, names that are shared.

    pip install "radon>=6,<7"    # cyclomatic complexity
    pip install --no-deps --target .nox/peers httpx tenacity respx pluggy hypothesis sqlglot verifiers inspect_ai trl
    python benchmarks/structure.py src/sealegs .nox/peers/httpx ... --json benchmarks/results/structure.json

It reads source and runs none of it. A function's lines are those from `def` to its end without its docstring. An import
counts wherever it stands, in a function too, but not where only a type checker sees it. A public name is one without an
underscore at the top of a file; it is shared where another file of the package has it, too. A line is duplicated if a
run of 60 tokens that covers it occurs twice, names and literals included, imports and docstrings left out.
"""

from __future__ import annotations

import argparse
import ast
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from statistics import mean, median
from typing import Any

import networkx as nx
from radon.complexity import cc_visit
from results_file import write_results

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
RUN = 60  # tokens that make a duplicate
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def modules(root: Path) -> dict[str, Path]:
    """Every module of a package, by its dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def docstring_lines(node: Any) -> int:
    """The lines of the docstring of a module, class or function."""
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return (first.end_lineno or first.lineno) - first.lineno + 1
    return 0


def function_lengths(tree: ast.Module) -> Iterator[int]:
    """The lines of every function and method."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield (node.end_lineno or node.lineno) - node.lineno + 1 - docstring_lines(node)


def seen_by_python(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those in a block that only a type checker sees."""
    yield node
    only_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for child in node.orelse if isinstance(node, ast.If) and only_types else ast.iter_child_nodes(node):
        yield from seen_by_python(child)


def imports(name: str, path: Path, tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a file imports: the module itself, else the package that holds the name."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in seen_by_python(tree):
        wanted: list[str] = []
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            wanted = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names]
        yield from (one for one in wanted if one in known and one != name)


def shared_names(trees: dict[str, ast.Module], kinds: tuple[type[ast.stmt], ...]) -> tuple[float, int]:
    """The share of public names of these kinds that another file of the package has, too, in %, and of how many."""
    names = [
        name
        for tree in trees.values()
        for name in {getattr(node, "name", "_") for node in tree.body if isinstance(node, kinds)}
        if not name.startswith("_")
    ]
    count = Counter(names)
    return (round(100 * sum(count[name] > 1 for name in names) / len(names), 1) if names else 0.0), len(names)


def comments_in(text: str) -> int:
    """How many comments there are, also behind code on its line."""
    return sum(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(StringIO(text).readline))


def complexities(text: str) -> Iterator[int]:
    """The cyclomatic complexity (McCabe 1976) of each function and method, as radon counts it."""
    for block in cc_visit(text):
        if hasattr(block, "methods"):
            continue  # a class: its methods come as blocks of their own
        yield block.complexity
        yield from (inner.complexity for inner in block.closures)


def is_annotated(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function declares the types of its result and of all its arguments."""
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    wanted = [one for one in given if one is not None and one.arg not in ("self", "cls")]
    return node.returns is not None and all(one.annotation is not None for one in wanted)


def code_tokens(text: str) -> Iterator[tuple[str, int]]:
    """The tokens of a file with their lines, without layout, comments, imports and strings that are statements."""
    before, importing = tokenize.NEWLINE, False
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type in LAYOUT:
            continue
        starts = before == tokenize.NEWLINE
        importing = token.string in ("import", "from") if starts else importing
        if token.type != tokenize.NEWLINE and not importing and not (starts and token.type == tokenize.STRING):
            yield token.string, token.start[0]
        before = token.type


def duplicated_lines(texts: Iterable[str]) -> int:
    """How many lines a run of tokens covers that occurs twice without overlapping itself."""
    files = [list(code_tokens(text)) for text in texts]
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, tokens in enumerate(files):
        words = tuple(word for word, _ in tokens)
        for start in range(len(words) - RUN + 1):
            places[hash(words[start : start + RUN])].append((number, start))
    covered = set()
    for found in places.values():
        (first, begin), *others = found
        if any(number != first or start - begin >= RUN for number, start in others):
            covered |= {(n, line) for n, start in found for _, line in files[n][start : start + RUN]}
    return len(covered)


def largest_circle(known: dict[str, Path], trees: dict[str, ast.Module]) -> int:
    """How many files import one another in a circle at most; 1 where none do."""
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    graph.add_edges_from(
        (name, other) for name, tree in trees.items() for other in imports(name, known[name], tree, known)
    )
    return max(map(len, nx.strongly_connected_components(graph)))


def version_of(root: Path) -> str:
    """The version that an unpacked wheel says beside the package; empty where there is none."""
    for folder in root.parent.glob("*.dist-info"):
        if folder.name.split("-")[0].lower() == root.name.lower():
            return folder.name.split("-")[1].removesuffix(".dist")
    return ""


def measures(root: Path) -> Iterator[tuple[str, float, int]]:
    """What is measured of one package: name, value, and of how many things."""
    known = modules(root)
    texts = {name: path.read_text(encoding="utf-8") for name, path in known.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    lengths = [length for tree in trees.values() for length in function_lengths(tree)]
    files = [texts[name].count("\n") for name, path in known.items() if path.name != "__init__.py"]
    public = [
        node
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_")
    ]
    lines = sum(text.count("\n") for text in texts.values())
    comments = sum(line.lstrip().startswith("#") for text in texts.values() for line in text.splitlines())
    documented = sum(ast.get_docstring(node) is not None for node in public)
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    annotated = sum(is_annotated(node) for node in functions)
    complexity = sorted(value for text in texts.values() for value in complexities(text))
    yield "lines", lines, len(known)
    yield "largest_circle", largest_circle(known, trees), len(known)
    yield "median_function", median(lengths), len(lengths)
    yield "functions_over_30", sum(length > 30 for length in lengths), len(lengths)
    yield "functions_over_50", sum(length > 50 for length in lengths), len(lengths)
    yield "files_over_400", sum(length > 400 for length in files), len(files)
    yield "complexity_mean", round(mean(complexity), 1), len(complexity)
    yield "complexity_p99", complexity[int(0.99 * len(complexity))], len(complexity)
    yield "complexity_max", complexity[-1], len(complexity)
    yield "duplicated_percent", round(100 * duplicated_lines(texts.values()) / lines, 2), lines
    yield "annotated_percent", round(100 * annotated / len(functions), 1), len(functions)
    yield "documented_percent", round(100 * documented / len(public), 1), len(public)
    yield "comment_lines_percent", round(100 * comments / lines, 1), lines
    yield "comments_per_100_lines", round(100 * sum(map(comments_in, texts.values())) / lines, 1), lines
    yield "shared_classes_percent", *shared_names(trees, (ast.ClassDef,))
    yield "shared_functions_percent", *shared_names(trees, FUNCTIONS)


def rows(root: Path) -> Iterator[dict[str, Any]]:
    """The measures of one package as rows of a long table; its version is the level."""
    for metric, value, n in measures(root):
        row = {"suite": "structure", "agent": root.name, "level": version_of(root), "mode": "", "metric": metric}
        yield {**row, "value": value, "low": None, "high": None, "n": n}


def main() -> None:
    """Measure the packages that are named, and print a row of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = [row for package in given.packages for row in rows(package)]
    for row in found:
        print(row["agent"], row["level"], row["metric"], row["value"], f"of {row['n']}")
    if given.json is not None:
        write_results(given.json, found)


if __name__ == "__main__":
    main()
