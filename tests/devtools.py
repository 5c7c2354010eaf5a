"""A real headless Chromium that tests click through, over its DevTools protocol.

Chromium resolves no name but this machine's, so a page that asks the network for anything fails to get it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
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
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
]
PATIENCE = 300.0  # generous: a busy machine starts Chromium slowly


class Tab:
    """A tab: what is sent to it, and the events that it tells of."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.events: list[dict[str, Any]] = []

    async def send(self, method: str, **given: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": given})
        while True:
            found = await asyncio.wait_for(self._socket.receive_json(), PATIENCE)
            if found.get("id") == self._number:
                assert "error" not in found, found
                result: dict[str, Any] = found["result"]
                return result
            self.events.append(found)

    async def run(self, script: str) -> Any:
        """The value of an expression, awaited where it is a promise."""
        found = await self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not await self.run(f"(() => {{ try {{ return Boolean({script}); }} catch {{ return false; }} }})()"):
            assert time.monotonic() < end, f"never true: {script}\n{await self.run('document.body.innerText')}"
            await asyncio.sleep(0.05)

    async def open(self, address: str) -> None:
        await self.send("Page.navigate", url=address)
        await self.until(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    async def click(self, selector: str) -> None:
        """Click into the middle of an element, as a mouse does."""
        place = await self.run(
            f"""(() => {{
                const one = document.querySelector({json.dumps(selector)});
                one.scrollIntoView({{block: "center"}});
                const box = one.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    async def type(self, selector: str, text: str) -> None:
        """Put the cursor into a field, and type."""
        await self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        await self.send("Input.insertText", text=text)

    async def resize(self, width: int, *, dark: bool = False) -> None:
        """Give the page a width and a colour scheme."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.send("Emulation.setEmulatedMedia", features=scheme)
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )

    async def picture(self) -> bytes:
        """The whole page as a PNG."""
        shot = await self.send("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def errors(self) -> list[str]:
        """The errors that the console and the page reported."""
        wrong = [e["params"] for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(one) for one in wrong]

    def requests(self) -> list[str]:
        """The addresses that the page requested."""
        sent = (e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return list(sent)


@asynccontextmanager
async def chromium(folder: Path, flags: Sequence[str] = ()) -> AsyncIterator[Tab]:
    """A tab of a new Chromium, whose profile is in this folder; the whole process group ends with the block."""
    profile = folder / "profile"
    process = subprocess.Popen(
        [str(CHROMIUM), *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        port = await _port(profile / "DevToolsActivePort", process)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [one for one in await answer.json(content_type=None) if one["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                tab = Tab(socket)
                for domain in ("Page", "Runtime", "Network", "Log"):
                    await tab.send(f"{domain}.enable")
                yield tab
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def _port(file: Path, process: subprocess.Popen[bytes]) -> str:
    """The port that Chromium writes down once it listens."""
    end = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text().strip()):
        assert process.poll() is None, "chromium ended"
        assert time.monotonic() < end, "chromium never listened"
        await asyncio.sleep(0.05)
    return file.read_text().split()[0]
