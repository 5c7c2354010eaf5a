"""The MCP Inspector, as whoever uses it meets it: a command line that asks to log in, and a page in a browser."""

from __future__ import annotations

import json
import os
import pty
import re
import socket
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.adapters.mcp.test_clients import ended
from tests.devtools import Tab, chromium
from tests.npm import installed

INSPECTOR = "2.12.0"
PLAIN = {
    "MCP_AUTO_OPEN_ENABLED": "false",  # it opens no browser of its own
    "MCP_INSPECTOR_SECRET_STORE": "memory",
    "MCP_SANDBOX_PORT": "0",
    "MCP_APP_ORIGIN_PORT": "0",
    "NO_COLOR": "1",
}
LOGIN = re.compile(r"Please navigate to: (\S+)\s")
REQUEST = re.compile(r"^(GET|POST|DELETE)\n.*?^(\d{3}) [^\n]*\n.*?^(http\S+)", re.MULTILINE | re.DOTALL)


def program() -> str:
    home = installed(f"@modelcontextprotocol/inspector@{INSPECTOR}")
    return str(home / "node_modules" / ".bin" / "mcp-inspector")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment in which it knows nothing of earlier runs."""
    home.mkdir(parents=True)
    return {**os.environ, "HOME": str(home), **PLAIN, **more}


def vacant() -> int:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        return int(link.getsockname()[1])


def command_line(url: str, home: Path) -> dict[str, Any]:
    """What a call from the command line answers, with a user who logs in as often as it asks."""
    words = [program(), "--cli", url, "--transport", "http", "--method", "tools/call"]
    words += ["--tool-name", "price", "--tool-arg", "item=lamp", "--connect-timeout", "0"]  # on a busy machine, too
    words += ["--callback-url", f"http://127.0.0.1:{vacant()}/oauth/callback"]
    ours, theirs = pty.openpty()  # it asks only at a terminal
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": theirs}
    with ended(subprocess.Popen(words, env=environment(home), text=True, **given)) as process:
        os.close(theirs)
        logins = [visited(page) for page in asked(ours)]
        os.close(ours)
        answer = json.loads(process.communicate(timeout=120)[0])
    return {"answer": json.loads(answer["content"][0]["text"]), "logins": len(logins)}


def asked(terminal: int) -> Iterator[str]:
    """The pages that it asks to open, as it asks."""
    text = ""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # so a terminal ends
            return
        text += piece.decode()
        while found := LOGIN.search(text):
            yield found[1]
            text = text[found.end() :]


def visited(page: str) -> int:
    """Open a page and follow where it leads, to the callback."""
    with urllib.request.urlopen(page, timeout=60) as answer:
        assert b"OAuth complete" in answer.read()
        return int(answer.status)


@dataclass
class Inspection:
    """What the page showed: the answers to three calls, and its own list of requests (method, path, status)."""

    answers: list[Any]
    requests: Counter[tuple[str, str, int]]
    origins: set[str]


@contextmanager
def serving_the_page(url: str, home: Path) -> Iterator[str]:
    words = [program(), "--web", "--transport", "http", "--server-url", url]
    variables = environment(home, CLIENT_PORT=str(vacant()))
    process = subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with ended(process):
        assert process.stdout is not None
        yield next(line.strip() for line in process.stdout if "MCP_INSPECTOR_API_TOKEN=" in line)


async def press(tab: Tab, words: str) -> None:
    """Press what begins with these words, whatever their case."""
    begins = f"e.innerText.trim().toLowerCase().startsWith({json.dumps(words)})"
    found = f"[...document.querySelectorAll('button,label')].find(e => {begins})"
    await tab.until(found)
    await tab.run(f"{found}.click()")


async def inspected(url: str, folder: Path) -> Inspection:
    """Connect, log in where the server wants it, list the tools, and call one three times."""
    switch = "document.querySelector('[role=switch]')"
    answers = []
    with serving_the_page(url, folder / "home") as page:
        async with chromium(folder) as tab:
            await tab.send("Page.navigate", url=page)
            await tab.until(f"{switch} && document.body.innerText.includes('Disconnected')")
            await tab.run(f"{switch}.click()")
            await press(tab, "tools")
            await tab.until("document.body.innerText.includes('Tools (1)')")
            await press(tab, "price")
            label = "[...document.querySelectorAll('label')].find(e => e.innerText.toLowerCase().startsWith('item'))"
            await tab.until(label)
            await tab.run(f"document.getElementById({label}.htmlFor).focus()")
            await tab.send("Input.insertText", text="lamp")
            for _ in range(3):
                await press(tab, "execute tool")
                content = "document.querySelector('[aria-label^=\"Editor content\"]').innerText"
                await tab.until(f"JSON.parse({content})")
                answers.append(await tab.run(f"JSON.parse({content})"))
                await tab.run("document.querySelector('[aria-label=\"Close results\"]').click()")
            await press(tab, "network")
            await tab.until("/Requests .\\d/.test(document.body.innerText)")
            text = await tab.run("document.body.innerText")
    rows = [(method, urlsplit(place), int(status)) for method, status, place in REQUEST.findall(text)]
    requests = Counter((method, place.path, status) for method, place, status in rows)
    return Inspection(answers, requests, {f"{place.scheme}://{place.netloc}" for _, place, _ in rows})
