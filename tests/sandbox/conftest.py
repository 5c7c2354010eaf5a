"""Tests of the sandbox share the machine's devices."""

from collections.abc import Iterator

import pytest

from tests.sandbox.devices import devices

CHANGING = ("shared-metadata", "devices_not_sealed")  # where nothing stops these, they reach `/dev/null`


@pytest.fixture(autouse=True)
def _devices(request: pytest.FixtureRequest) -> Iterator[None]:
    with devices(changed=any(name in request.node.name for name in CHANGING)):
        yield
