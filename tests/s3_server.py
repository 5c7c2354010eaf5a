"""A server that speaks S3, in a thread of this process (moto's), some of whose requests fail on demand."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REFUSED = "<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
BUCKET = "runs"


class S3Server:
    """The server's side of a test.

    Attributes:
        environment: the variables that a client needs.
        fails: which writes fail: called with the number of each, from 1 on, and gives the status, or '' for none.
        writes: how many there were.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application, self._lock = application, threading.Lock()
        self.environment: dict[str, str] = {}
        self.fails: Callable[[int], str] = lambda _: ""
        self.writes = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        if environ["REQUEST_METHOD"] != "PUT":
            return self._application(environ, start)
        with self._lock:
            self.writes += 1
            status = self.fails(self.writes)
        if not status:
            return self._application(environ, start)
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = REFUSED.format(code=status.partition(" ")[2].replace(" ", ""), message=status).encode()
        start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Serve, with one empty bucket, while the block runs."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log_request(self, *_: object) -> None:
            """Say nothing."""

    found = S3Server(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, found, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.environment = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def use_server(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let this test and its processes use the server; the URL of its bucket."""
    import fsspec

    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    type(files).clear_instance_cache()  # each test has settings of its own
    if not files.exists(BUCKET):
        files.mkdir(BUCKET)
    return f"s3://{BUCKET}"
