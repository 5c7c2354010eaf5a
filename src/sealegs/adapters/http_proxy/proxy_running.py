"""A proxy for HTTP while it runs: the port for clients, that of the switch, and the signals."""

from __future__ import annotations

import asyncio
import gc
import warnings
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from sealegs.adapters.http_proxy.control import HERE, Control
from sealegs.adapters.http_proxy.plan_switch import PlanSwitch
from sealegs.adapters.http_proxy.proxy_handler import ProxyHandler
from sealegs.adapters.http_proxy.proxy_settings import ProxySettings
from sealegs.adapters.http_proxy.request_names import RequestNames
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.relaying.http_serving import serving
from sealegs.adapters.relaying.http_upstream import Upstream, upstream_connections
from sealegs.adapters.relaying.loop_signals import ENDING, on_signals


def run_http_proxy(settings: ProxySettings) -> None:
    """Proxy HTTP until this process gets a signal to end.

    SIGUSR1 switches the faults off, SIGUSR2 on again with the plan as its file is then.

    Raises:
        UserError: a port cannot be listened on, or a file cannot be written.
    """
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *more, **others: settings.warn(str(message))
        asyncio.run(_running(settings))


async def _running(settings: ProxySettings) -> None:
    loop = asyncio.get_running_loop()
    over: asyncio.Future[str] = loop.create_future()
    tasks: set[asyncio.Task[Any]] = set()

    def ended(name: str) -> None:
        # A second signal may come while the first one's end is under way.
        if not over.done():
            over.set_result(name)

    def off() -> None:
        switch.turn(on=False)
        settings.warn("faults are off")

    async def read_again() -> None:
        settings.warn(await switch.read_again())

    def on() -> None:
        task = loop.create_task(read_again())
        # Held here, since the loop holds tasks weakly: one that nobody holds may be lost under way.
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async with AsyncExitStack() as stack:
        upstream = Upstream(
            settings.upstream, await stack.enter_async_context(upstream_connections()), shows_origin=True
        )
        guard = RequestGuard(settings.host, settings.hosts, settings.origins)
        names = RequestNames(settings.upstream.partition("://")[2], settings.tools, settings.operations)
        switch = PlanSwitch(settings)
        try:
            handler = ProxyHandler(upstream, switch, names, guard)
            at = await stack.enter_async_context(serving(handler.handle, settings.host, settings.port))
            control = Control(switch, settings.token, settings.episode)
            lines = [f"listening on {str(at).rstrip('/')}"]
            if settings.control is not None:
                own = await stack.enter_async_context(serving(control.handle, HERE, settings.control, "--control"))
                lines.append(f"control on {str(own).rstrip('/')}")
            ends = {name: partial(ended, name) for name in ENDING}
            on_signals({**ends, "SIGUSR1": off, "SIGUSR2": on})
            gc.freeze()  # what was loaded stays, as in `recorded_gate`
            for line in lines:
                settings.say(line)
            await over
        finally:
            await switch.end(over.result() if over.done() and not over.cancelled() else "")
