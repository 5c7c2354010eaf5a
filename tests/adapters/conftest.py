"""A server for the tests of HTTP: one for each module, with a state of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.adapters.http_server import Served, Server, serving


@pytest.fixture(scope="module")
def http_server() -> Iterator[Server]:
    with serving() as one:
        yield one


@pytest.fixture
def served(http_server: Server) -> Served:
    return http_server.afresh()
