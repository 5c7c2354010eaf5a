"""Every way into the layer by name, and how failures are played over it. `benchmarks/never_twice.py` uses it too."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.recovery.twice import in_process, over_wires
from tests.recovery.twice.over_wires import OVER_HTTP, Workplace
from tests.recovery.twice.till import LEVELS, Tally

Play = Callable[[Sequence[str], Iterable[int]], Tally]


@dataclass(frozen=True)
class Seam:
    """A way into the layer.

    Attributes:
        play: plays failures, of so many levels, within this process.
        relay: the same, where processes take part.
        levels: what can be declared there.
        needs: the modules without which it cannot be played.
    """

    play: Play | None = None
    relay: Callable[[Workplace, Sequence[str], Iterable[int]], Tally] | None = None
    levels: Sequence[str] = tuple(LEVELS)
    needs: Sequence[str] = ()

    def played(self, levels: Sequence[str], places: Iterable[int], *, broken: bool = False) -> Tally:
        """What comes of these failures under these declarations.

        Args:
            levels, places: the declarations and the failures.
            broken: with a layer in the proxy that believes that nothing was ever done.
        """
        if self.play is not None:
            return self.play(levels, places)
        assert self.relay is not None
        with tempfile.TemporaryDirectory() as folder:
            return self.relay(Workplace(Path(folder), broken), levels, places)


WITHOUT_LOOK = tuple(level for level in OVER_HTTP if not level.startswith("verified"))  # a proxy of HTTP makes none
SEAMS: Mapping[str, Seam] = {
    "Python": Seam(in_process.python_sync),
    "Python, async": Seam(in_process.python_async),
    "LangChain": Seam(in_process.langchain_sync, needs=("langchain_core",)),
    "LangChain, async": Seam(in_process.langchain_async, needs=("langchain_core",)),
    "MCP by pipe": Seam(relay=over_wires.mcp_by_pipe),
    "MCP over HTTP": Seam(relay=over_wires.mcp_over_http, needs=("aiohttp",)),
    "HTTP proxy": Seam(relay=over_wires.http_by_proxy, levels=WITHOUT_LOOK, needs=("aiohttp",)),
    "httpx": Seam(relay=over_wires.httpx_sync, levels=OVER_HTTP, needs=("httpx", "aiohttp")),
    "httpx, async": Seam(relay=over_wires.httpx_async, levels=OVER_HTTP, needs=("httpx", "aiohttp")),
    "requests": Seam(relay=over_wires.requests_sync, levels=OVER_HTTP, needs=("requests", "aiohttp")),
}
