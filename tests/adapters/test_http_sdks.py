"""The real clients of OpenAI and Anthropic over a wire with faults: their own error handling at work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.faults import Fault
from sealegs.faults.kinds import Connection, Delta, Drip, Error, Hang, Interrupted, Malformed, RateLimit
from sealegs.faults.triggers import First
from sealegs.inject import Session
from tests import needs
from tests.adapters.shop import Episode
from tests.inject.staging import rule

httpx2 = pytest.importorskip("httpx2", reason=needs.module("httpx2"))
openai = pytest.importorskip("openai", reason=needs.module("openai"))
anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))
WORDS = "It is sunny in Oslo and 21 degrees warm."
MESSAGES: list[Any] = [{"role": "user", "content": "Weather?"}]


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptServer]:
    with ScriptServer(script_from({"turns": [{"say": WORDS}], "loop": True})) as server:
        yield server


class OpenAI:
    sdk = openai

    def __init__(self, server: ScriptServer, session: Session, **more: Any) -> None:
        from sealegs.adapters.httpx2 import AsyncTransport, Transport

        given: dict[str, Any] = {"base_url": self.base(server), "api_key": "none", "timeout": 3.0, **more}
        self.sync = self.client("")(http_client=httpx2.Client(transport=Transport(session)), **given)
        self.later = self.client("Async")(http_client=httpx2.AsyncClient(transport=AsyncTransport(session)), **given)

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.sync.close()
        await self.later.close()

    def client(self, form: str) -> Any:
        return getattr(self.sdk, f"{form}OpenAI")

    def base(self, server: ScriptServer) -> str:
        return server.url

    def say(self) -> str:
        return str(self.sync.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content)

    async def say_later(self) -> str:
        found = await self.later.chat.completions.create(model="m", messages=MESSAGES)
        return str(found.choices[0].message.content)

    def chunks(self) -> Iterator[str]:
        for chunk in self.sync.chat.completions.create(model="m", messages=MESSAGES, stream=True):
            yield chunk.choices[0].delta.content or ""


class Anthropic(OpenAI):
    sdk = anthropic

    def client(self, form: str) -> Any:
        return getattr(self.sdk, f"{form}Anthropic")

    def base(self, server: ScriptServer) -> str:
        return server.root

    def say(self) -> str:
        return str(self.sync.messages.create(model="m", max_tokens=99, messages=MESSAGES).content[0].text)

    async def say_later(self) -> str:
        found = await self.later.messages.create(model="m", max_tokens=99, messages=MESSAGES)
        return str(found.content[0].text)

    def chunks(self) -> Iterator[str]:
        with self.sync.messages.stream(model="m", max_tokens=99, messages=MESSAGES) as events:
            yield from events.text_stream


MAKERS = pytest.mark.parametrize("maker", [OpenAI, Anthropic])


@MAKERS
async def test_nothing_changes_where_nothing_strikes(maker: Any, server: ScriptServer) -> None:
    episode = Episode()
    async with maker(server, episode.session) as model:
        assert model.say() == await model.say_later() == "".join(model.chunks()) == WORDS
    turns = episode.record().turns
    assert len(turns) == 3
    assert turns[0].call.arguments["body"]["messages"] == MESSAGES
    assert "none" not in repr(turns[0].call)  # no header, so no key, is ever recorded


@MAKERS
@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Error(status=500), "InternalServerError"),
        (Error(status=401), "AuthenticationError"),
        (RateLimit(), "RateLimitError"),
        (Connection(mode="refused"), "APIConnectionError"),
        (Connection(mode="dns"), "APIConnectionError"),
        (Hang(), "APITimeoutError"),
        (Drip(seconds=9.0), "APITimeoutError"),
    ],
    ids=lambda value: getattr(value, "kind", value),
)
async def test_faults_are_the_clients_own_errors(maker: Any, fault: Fault, name: str, server: ScriptServer) -> None:
    async with maker(server, Episode(rule(fault)).session, max_retries=0) as model:
        with pytest.raises(getattr(maker.sdk, name)) as raised:
            model.say()
        with pytest.raises(getattr(maker.sdk, name)):
            await model.say_later()
    if isinstance(fault, RateLimit):
        assert "Rate limit exceeded" in str(raised.value)
        assert raised.value.response.headers["retry-after"] == "1"


@MAKERS
@pytest.mark.parametrize("fault", [Error(status=503), Connection(mode="reset"), Hang()], ids=lambda fault: fault.kind)
async def test_the_clients_own_retries_get_through(maker: Any, fault: Fault, server: ScriptServer) -> None:
    episode = Episode(rule(fault, when=First(1)))
    async with maker(server, episode.session, max_retries=1) as model:
        assert model.say() == WORDS
    turns = episode.record().turns
    assert [turn.faulted for turn in turns] == [True, False]


@MAKERS
async def test_an_answer_goes_wrong(maker: Any, server: ScriptServer) -> None:
    async with maker(server, Episode(rule(Delta())).session) as model:
        assert model.say() != WORDS
    async with maker(server, Episode(rule(Malformed(mode="cut"))).session, max_retries=0) as model:
        with pytest.raises((ValueError, maker.sdk.APIError, AttributeError, TypeError)):
            model.say()


@MAKERS
@pytest.mark.parametrize(("mode", "name"), [("reset", "ReadError"), ("closed", "RemoteProtocolError")])
async def test_a_stream_breaks_off_in_the_middle(maker: Any, mode: Any, name: str, server: ScriptServer) -> None:
    chunks: list[str] = []
    async with maker(server, Episode(rule(Interrupted(after=6, mode=mode))).session) as model:
        with pytest.raises((getattr(httpx2, name), maker.sdk.APIConnectionError)):
            chunks.extend(model.chunks())
    assert chunks
    assert WORDS.startswith("".join(chunks))
    assert "".join(chunks) != WORDS
