"""A page opened in a real browser, as a person would use it: clicks, downloads, and what the browser complains of."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


class OpenPage:
    """A page in the browser.

    Attributes:
        complaints: what the browser wrote to its console: errors, and what the page's policy refused.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.complaints: list[str] = []
        self._socket = socket
        self._last = 0

    async def open(self, file: Path) -> None:
        """Open a file and wait until it is there."""
        for domain in ("Page", "Log", "Runtime"):
            await self.ask(f"{domain}.enable")
        await self.ask("Page.navigate", url=file.as_uri())
        while (
            await self.value("document.readyState") != "complete" or await self.value("location.href") == "about:blank"
        ):
            await asyncio.sleep(0.05)

    async def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives on the page; the page's policy does not bind who controls it."""
        found = await self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def click(self, selector: str) -> None:
        """Click in the middle of the first element that a selector names."""
        place = await self.value(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol, and return its result."""
        self._last += 1
        await self._socket.send_json({"id": self._last, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=300)
            if message.get("method") == "Log.entryAdded":
                self.complaints.append(message["params"]["entry"]["text"])
            if message.get("id") == self._last:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result


@asynccontextmanager
async def opened_page(file: Path, profile: Path) -> AsyncIterator[OpenPage]:
    """Open a file in a browser with a profile of its own."""
    browser = await asyncio.create_subprocess_exec(
        str(CHROMIUM), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
        stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        port = profile / "DevToolsActivePort"
        while not (port.exists() and "\n" in port.read_text("utf-8")):
            await asyncio.sleep(0.05)
        number = port.read_text("utf-8").split("\n")[0]
        async with aiohttp.ClientSession() as session:
            targets: list[dict[str, Any]] = []
            while not targets:
                async with session.get(f"http://127.0.0.1:{number}/json/list") as answer:
                    targets = [one for one in await answer.json(content_type=None) if one["type"] == "page"]
            async with session.ws_connect(targets[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = OpenPage(socket)
                await page.open(file)
                yield page
    finally:
        browser.terminate()
        await browser.wait()
