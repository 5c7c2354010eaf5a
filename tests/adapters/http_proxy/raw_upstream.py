"""A server with what HTTP has besides plain answers: websockets, redirects, uploads, endless streams."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import WSMsgType, web

CODES = web.AppKey("codes", list)
DONE = web.AppKey("done", list)  # the requests to `/cut`
CHUNK = b"0123456789abcdef" * 65536  # one mebibyte


async def echo(request: web.Request) -> web.StreamResponse:
    """Describe the request."""
    digest, size = hashlib.sha256(), 0
    async for chunk in request.content.iter_any():
        digest.update(chunk)
        size += len(chunk)
    described = {"method": request.method, "target": request.raw_path, "size": size, "digest": digest.hexdigest()}
    return web.json_response({**described, "headers": [list(pair) for pair in request.headers.items()]})


async def moved(request: web.Request) -> web.StreamResponse:
    """Lead elsewhere on this server, by its own address."""
    return web.Response(status=307, headers={"Location": f"http://{request.host}/echo?from=there"})


async def cut(request: web.Request) -> web.StreamResponse:
    """Do what is asked, and end the connection without an answer; `GET` of `done` says what was done."""
    if "done" in request.query:
        return web.json_response(request.app[DONE])
    request.app[DONE].append(request.method)
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def large(request: web.Request) -> web.StreamResponse:
    """Send so many mebibytes in chunks."""
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(int(request.query["size"])):
        await response.write(CHUNK)
    return response


async def user(request: web.Request) -> web.StreamResponse:
    """Say who it is."""
    return web.json_response({"id": int(request.match_info["id"]), "name": "Ada", "email": "ada@example.com"})


async def talk(request: web.Request) -> web.StreamResponse:
    """Echo on a websocket; `bye` closes it, `gone` cuts it, and whoever is not let in is refused."""
    if request.query.get("refuse"):
        return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"}, text="no")
    socket = web.WebSocketResponse(protocols=["second"], autoping=False)
    await socket.prepare(request)
    await socket.send_str(request.headers.get("X-Who", "nobody"))
    while True:
        message = await socket.receive()
        if message.type is WSMsgType.CLOSE:
            request.app[CODES].append(message.data)
            return socket
        if message.type in (WSMsgType.CLOSED, WSMsgType.CLOSING, WSMsgType.ERROR):
            return socket
        if message.type is WSMsgType.PING:
            await socket.pong(message.data)
        elif message.type is WSMsgType.BINARY:
            await socket.send_bytes(message.data[::-1])
        elif message.data == "bye":
            await socket.close(code=4001, message=b"so long")
        elif message.data == "gone":
            assert request.transport is not None
            request.transport.abort()
        else:
            await socket.send_str(message.data.upper())


@contextmanager
def upstream() -> Iterator[tuple[str, list[int]]]:
    """The server's address, and the codes by which clients closed its websockets."""
    loop, codes = asyncio.new_event_loop(), list[int]()
    app = web.Application(client_max_size=1 << 40)
    app[CODES], app[DONE] = codes, list[str]()
    app.router.add_route("*", "/echo", echo)
    app.router.add_get("/moved", moved)
    app.router.add_route("*", "/cut", cut)
    app.router.add_get("/large", large)
    app.router.add_get("/api/users/{id}", user)
    app.router.add_get("/talk", talk)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", codes
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()
