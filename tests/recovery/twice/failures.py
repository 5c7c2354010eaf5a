"""Failures as tools raise them after their work is done: texts of all kinds in exceptions of all libraries.

`failures()` makes at least `LEAST` of them, the same ones in the same order every time. Texts: what a later step says
that cannot reach its server, what the exemplars look like, and the labelled failures. Exceptions are those of the
libraries that are installed; of the others, classes of the same name, module and attributes stand in.
"""

from __future__ import annotations

import json
import smtplib
import socket
import sqlite3
import ssl
import subprocess
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.message import Message
from functools import cache
from importlib import import_module, resources
from typing import Any

from sealegs.recovery.bank import shipped_bank

LEAST = 2000
Make = Callable[[str], BaseException]

DONE = (
    "card charged 100.00",
    "order 7731 placed",
    "transfer booked",
    "mail sent to 41 people",
    "row inserted",
    "Überweisung ausgeführt",
    "",
)
THEN = (
    "receipt e-mail failed: [Errno 111] Connection refused",
    "the confirmation webhook hit its rate limit",
    "audit log: getaddrinfo failed: Name or service not known",
    "ledger sync skipped: circuit open",
    "notification: could not resolve host: hooks.test",
    "name resolution error",
    "nodename nor servname provided",
    "No route to host",
    "Network is unreachable",
    "429 Too Many Requests for url 'https://hooks.test/notify'",
    "ConnectTimeout: connect timeout=5",
    "certificate verify failed: self-signed certificate",
    "Tool not found: send_receipt",
    "Unknown tool: pay",
    "no tool named audit",
    "Input validation error: 'address' is a required property",
    "Invalid params",
    "1 validation error for payArguments",
    "2 validation errors for call[send_receipt]",
    "pay() missing 1 required positional argument: 'address'",
    "pay() got an unexpected keyword argument 'cc'",
    "pay() takes 1 positional argument but 2 were given",
    "404 Not Found",
    "409 Conflict: entry exists",
    "nothing was done",
    "the request never left",
    "unsent",
    "retry later; the call was not executed",
)
REFUSALS = (400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422, 423, 425, 429, 431, 451)
STATUSES = (*REFUSALS, 500, 501, 502, 503, 504, 505, 507, 511, 529)


@cache
def texts() -> tuple[str, ...]:
    """What the failures say."""
    made = [f"{done}; {then}" if done else then for done in DONE for then in THEN]
    looks = [look for one in shipped_bank().exemplars for look in one.looks]
    lines = resources.files("sealegs.recovery").joinpath("data", "labelled.jsonl").read_text(encoding="utf-8")
    labelled = [json.loads(line)["text"] for line in lines.splitlines()]
    return tuple(dict.fromkeys((*made, *looks, *labelled)))


@cache
def makers() -> tuple[tuple[str, Make], ...]:
    """What raises them, by name."""
    found = [*_built_in(), *_of_clients(), *_of_services(), *_stand_ins()]
    assert len({name for name, _ in found}) == len(found)
    return tuple(found)


@cache
def failures() -> tuple[tuple[str, BaseException], ...]:
    """The failures, each with the name of its exception: every text in some exceptions, every exception with some."""
    made = makers()
    several = -(-LEAST // len(texts()))
    found = []
    for place, text in enumerate(texts()):
        for turn in range(several):
            name, make = made[(place * several + turn) % len(made)]
            found.append((name, make(text)))
    assert len(found) >= LEAST
    return tuple(found)


def _built_in() -> Iterator[tuple[str, Make]]:
    plain: tuple[type[Exception], ...] = (RuntimeError, ValueError, KeyError, TypeError, LookupError, PermissionError)
    broken: tuple[type[Exception], ...] = (TimeoutError, ConnectionError, ConnectionResetError, BrokenPipeError)
    for kind in (*plain, *broken):
        yield kind.__name__, kind
    yield "errno refused", lambda text: ConnectionRefusedError(111, text)
    yield "errno unreachable", lambda text: OSError(101, text)
    yield "errno no route", lambda text: OSError(113, text)
    yield "gaierror", lambda text: socket.gaierror(-2, text)
    yield "ssl", lambda text: ssl.SSLCertVerificationError(1, text)
    yield "smtp connect", lambda text: smtplib.SMTPConnectError(421, text)
    yield "smtp refused", lambda text: smtplib.SMTPServerDisconnected(text)
    yield "urllib", urllib.error.URLError
    yield "urllib status", lambda text: urllib.error.HTTPError("http://x.test", 429, text, Message(), None)
    yield "sqlite3", sqlite3.OperationalError
    yield "sqlite3 unique", sqlite3.IntegrityError
    yield "subprocess", lambda text: subprocess.CalledProcessError(1, ["mail"], output=text, stderr=text)
    yield "cause", lambda text: _caused(RuntimeError("receipt"), ConnectionRefusedError(111, text))


def _of_clients() -> Iterator[tuple[str, Make]]:
    with suppress(ImportError):
        import httpx

        request = httpx.Request("POST", "https://hooks.test/notify")
        for kind in (httpx.ConnectError, httpx.ConnectTimeout, httpx.ReadTimeout, httpx.PoolTimeout, httpx.ReadError):
            yield f"httpx.{kind.__name__}", lambda text, kind=kind: kind(text, request=request)  # type: ignore[misc]
        for status in STATUSES:
            answer = httpx.Response(status, request=request, headers={"retry-after": "1"})
            yield (
                f"httpx {status}",
                lambda text, a=answer: httpx.HTTPStatusError(text, request=request, response=a),  # type: ignore[misc]
            )
    with suppress(ImportError):
        import requests

        for name in ("ConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError", "RetryError"):
            yield f"requests.{name}", getattr(requests.exceptions, name)
        for status in (404, 409, 422, 429, 503):
            response = requests.Response()
            response.status_code = status
            yield f"requests {status}", lambda text, r=response: requests.HTTPError(text, response=r)  # type: ignore[misc]
    with suppress(ImportError):
        from urllib3 import exceptions

        pool: Any = None
        yield "urllib3 new", lambda text: exceptions.NewConnectionError(pool, text)
        yield "urllib3 name", lambda text: exceptions.NameResolutionError("hooks.test", pool, socket.gaierror(text))
        yield "urllib3 retries", lambda text: exceptions.MaxRetryError(pool, "/notify", Exception(text))
        yield "urllib3 connect", lambda text: exceptions.ConnectTimeoutError(pool, text)
    with suppress(ImportError):
        import aiohttp

        yield "aiohttp gone", aiohttp.ServerDisconnectedError
        info: Any = aiohttp.RequestInfo("http://x.test", "POST", None, "http://x.test")  # type: ignore[arg-type]
        yield "aiohttp status", lambda text: aiohttp.ClientResponseError(info, (), status=429, message=text)


def _of_services() -> Iterator[tuple[str, Make]]:
    with suppress(ImportError):
        import httpx

        request = httpx.Request("POST", "https://api.test")
        for room in ("openai", "anthropic"):
            with suppress(ImportError):
                module = import_module(room)
                yield f"{room} connection", lambda text, m=module: m.APIConnectionError(message=text, request=request)  # type: ignore[misc]
                for name, status in (("RateLimitError", 429), ("BadRequestError", 400), ("NotFoundError", 404)):
                    answer = httpx.Response(status, request=request)
                    kind = getattr(module, name)
                    yield f"{room}.{name}", lambda text, k=kind, a=answer: k(text, response=a, body=None)  # type: ignore[misc]
    with suppress(ImportError):
        exceptions = import_module("botocore.exceptions")

        for code in ("ThrottlingException", "TooManyRequestsException", "ResourceNotFoundException", "AccessDenied"):
            yield (
                f"botocore {code}",
                lambda text, c=code: exceptions.ClientError({"Error": {"Code": c, "Message": text}}, "SendEmail"),  # type: ignore[misc]
            )
        yield "botocore endpoint", lambda text: exceptions.EndpointConnectionError(endpoint_url=text)
        yield "botocore connect", lambda text: exceptions.ConnectTimeoutError(endpoint_url=text)
        yield "botocore parameters", lambda text: exceptions.ParamValidationError(report=text)


def _stand_ins() -> Iterator[tuple[str, Make]]:
    """Classes that look like those of libraries which are not installed."""
    for module, name, attributes in (
        ("grpc._channel", "_InactiveRpcError", {"code": lambda self: "StatusCode.UNAVAILABLE"}),
        ("grpc.aio", "AioRpcError", {"code": lambda self: 14}),
        ("psycopg", "OperationalError", {"sqlstate": "08001"}),
        ("psycopg.errors", "UniqueViolation", {"sqlstate": "23505"}),
        ("psycopg2", "InterfaceError", {"pgcode": None}),
        ("redis.exceptions", "ConnectionError", {}),
        ("redis.exceptions", "ReadOnlyError", {}),
        ("pymongo.errors", "ServerSelectionTimeoutError", {}),
        ("pymongo.errors", "AutoReconnect", {}),
        ("stripe", "RateLimitError", {"http_status": 429, "code": "rate_limit"}),
        ("stripe", "APIConnectionError", {"should_retry": True}),
        ("kafka.errors", "NoBrokersAvailable", {"retriable": True}),
        ("elasticsearch", "ConnectionError", {"status_code": 0}),
        ("elasticsearch", "ConflictError", {"status_code": 409}),
        ("google.api_core.exceptions", "ResourceExhausted", {"code": 429}),
        ("azure.core.exceptions", "ServiceRequestError", {"status_code": None}),
        ("pybreaker", "CircuitBreakerError", {}),
        ("circuitbreaker", "CircuitBreakerError", {}),
        ("mcp.shared.exceptions", "McpError", {"code": -32602}),
        ("fastmcp.exceptions", "NotFoundError", {}),
        ("fastapi", "HTTPException", {"status_code": 422}),
        ("pydantic_core", "ValidationError", {}),
        ("jsonschema", "ValidationError", {}),
        ("twilio.base.exceptions", "TwilioRestException", {"status": 429, "code": 20429}),
        ("slack_sdk.errors", "SlackApiError", {"response": {"ok": False, "error": "ratelimited"}}),
        ("tools", "CircuitOpen", {"retry_after": 1.0}),
        ("tools", "ConnectError", {"unsent": True}),
        ("tools", "NotSent", {"unsent": True, "status": 503}),
    ):
        yield f"{module}.{name}", type(name, (Exception,), {"__module__": module, **attributes})


def _caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error
