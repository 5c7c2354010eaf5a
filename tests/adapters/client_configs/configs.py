"""Configurations of MCP clients as people and programs write them, each with the data that it means."""

import json
from typing import Any

from hypothesis import strategies as st

BLANKS = st.sampled_from(["", "", " ", "\n", "\r\n  ", "\t", "// a note: {\n", "/* , ] */", '\n// "command": "x"\n  '])
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
NAMES = st.one_of(st.sampled_from(["shop", "my shop", "a/b", "--", "é", "command", "args"]), WORDS)
ARGUMENTS = st.one_of(st.sampled_from(["--", "-y", "proxy", "sealegs", "${input:key}", "C:\\x", ""]), WORDS)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Data as text, with white space, comments, commas and escapes as they come."""
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        parts = []
        for name, one in pairs:
            named = f"{draw(quoted(name))}{draw(BLANKS)}:{draw(BLANKS)}" if isinstance(value, dict) else ""
            parts.append(f"{draw(BLANKS)}{named}{draw(written(one))}{draw(BLANKS)}")
        inside = ",".join(parts)
        inside += draw(st.sampled_from(["", ","])) if parts else ""
        inside += draw(BLANKS)
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"
    return draw(quoted(value)) if isinstance(value, str) else json.dumps(value)


@st.composite
def quoted(draw: st.DrawFn, text: str) -> str:
    """A text in quotes, some of its characters escaped."""
    plain = json.dumps(text, ensure_ascii=draw(st.booleans()))
    return plain.replace("/", "\\/") if draw(st.booleans()) else plain


@st.composite
def servers(draw: st.DrawFn) -> dict[str, Any]:
    """The entry of a server that is started; names in any order."""
    command = draw(st.one_of(st.sampled_from(["npx", "/usr/bin/python3", "C:\\x\\node.exe"]), WORDS.filter(bool)))
    entry: dict[str, Any] = {"command": command}
    if draw(st.booleans()):
        entry["args"] = draw(st.lists(ARGUMENTS, max_size=4))
    if draw(st.booleans()):
        entry["env"] = draw(st.dictionaries(NAMES, WORDS, max_size=2))
    if draw(st.booleans()):
        entry["disabled"] = draw(st.one_of(st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)))
    return dict(draw(st.permutations(list(entry.items()))))


@st.composite
def configurations(draw: st.DrawFn, key: str) -> tuple[dict[str, Any], str]:
    """A file's data and its text; there is at least one server."""
    found = draw(st.dictionaries(NAMES, servers(), min_size=1, max_size=3))
    data = {key: found, "inputs": [{"id": "key", "nested": [[], {}, 1.5e3]}]}
    data = dict(draw(st.permutations(list(data.items()))))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return data, mark + draw(BLANKS) + draw(written(data)) + draw(st.sampled_from(["", "\n", "\r\n"]))
