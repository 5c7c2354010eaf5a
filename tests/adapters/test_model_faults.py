"""Faults of models through the real clients of OpenAI and Anthropic, compared with what their makers document.

The bodies are those of https://platform.openai.com/docs/guides/error-codes and https://docs.claude.com/en/api/errors;
the headers those of each maker's page on rate limits; the reasons to stop those of the clients' own types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.faults import Fault
from sealegs.faults.kinds import AlteredReply, Error, Hang, Interrupted, ModelError, RateLimit
from sealegs.faults.triggers import First, Model, Probability
from sealegs.inject import MisfireWarning
from tests import needs
from tests.adapters.model_outcomes import ALTERED, CALLED, CITY, DOCUMENTED, QUESTION, SCRIPT, TOOLS, WORDS, rows
from tests.adapters.shop import Episode
from tests.inject.staging import rule

httpx2 = pytest.importorskip("httpx2", reason=needs.module("httpx2"))
openai = pytest.importorskip("openai", reason=needs.module("openai"))
anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptServer]:
    with ScriptServer(script_from(SCRIPT)) as server:
        yield server


class Chat:
    """OpenAI's chat completions."""

    sdk = openai
    client = openai.OpenAI
    name = "chat"

    def __init__(self, server: ScriptServer, episode: Episode, **more: Any) -> None:
        from sealegs.adapters.httpx2 import Transport

        base = server.root if self.sdk is anthropic else server.url
        given: dict[str, Any] = {"base_url": base, "api_key": "none", "timeout": 3.0, "max_retries": 0, **more}
        self.real = self.client(http_client=httpx2.Client(transport=Transport(episode.session)), **given)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.real.close()

    def second(self) -> list[Any]:
        """A conversation in which the model has called the tool once."""
        return CALLED[self.name]

    def ask(self, messages: list[Any] = QUESTION) -> Any:
        return self.real.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS[self.name])

    def gathered(self, messages: list[Any] = QUESTION) -> Any:
        """The same answer, from a stream that the client gathers."""
        with self.real.chat.completions.stream(model="gpt-5", messages=messages, tools=TOOLS[self.name]) as events:
            for _ in events:
                pass
            return events.get_final_completion()

    def chunks(self) -> Iterator[str]:
        """The words of a stream."""
        for chunk in self.real.chat.completions.create(model="gpt-5", messages=self.second(), stream=True):
            yield from (choice.delta.content or "" for choice in chunk.choices)

    def words(self, answer: Any) -> str | None:
        return answer.choices[0].message.content  # type: ignore[no-any-return]

    def calls(self, answer: Any) -> list[tuple[str, str]]:
        found = answer.choices[0].message.tool_calls or ()
        return [(call.function.name, call.function.arguments) for call in found]

    def ended(self, answer: Any) -> str:
        return str(answer.choices[0].finish_reason)


class Responses(Chat):
    """OpenAI's responses."""

    name = "responses"

    def ask(self, messages: list[Any] = QUESTION) -> Any:
        return self.real.responses.create(model="gpt-5", input=messages, tools=TOOLS[self.name])

    def gathered(self, messages: list[Any] = QUESTION) -> Any:
        stream = self.real.responses.create(model="gpt-5", input=messages, tools=TOOLS[self.name], stream=True)
        events = list(stream)
        assert [event.sequence_number for event in events] == list(range(len(events)))
        return events[-1].response

    def chunks(self) -> Iterator[str]:
        for event in self.real.responses.create(model="gpt-5", input=self.second(), stream=True):
            if event.type == "response.output_text.delta":
                yield event.delta
            if event.type == "error":
                raise LookupError(event.code)

    def words(self, answer: Any) -> str | None:
        return str(answer.output_text)

    def calls(self, answer: Any) -> list[tuple[str, str]]:
        return [(item.name, item.arguments) for item in answer.output if item.type == "function_call"]

    def ended(self, answer: Any) -> str:
        return str(answer.incomplete_details.reason if answer.incomplete_details else answer.status)


class Messages(Chat):
    """Anthropic's messages."""

    sdk = anthropic
    client = anthropic.Anthropic
    name = "messages"

    def ask(self, messages: list[Any] = QUESTION) -> Any:
        return self.real.messages.create(model="gpt-5", max_tokens=99, messages=messages, tools=TOOLS[self.name])

    def gathered(self, messages: list[Any] = QUESTION) -> Any:
        with self.real.messages.stream(
            model="gpt-5", max_tokens=99, messages=messages, tools=TOOLS[self.name]
        ) as events:
            return events.get_final_message()

    def chunks(self) -> Iterator[str]:
        with self.real.messages.stream(model="gpt-5", max_tokens=99, messages=self.second()) as events:
            yield from events.text_stream

    def words(self, answer: Any) -> str | None:
        return "".join(block.text for block in answer.content if block.type == "text") or None

    def calls(self, answer: Any) -> list[tuple[str, str]]:
        return [(block.name, json.dumps(block.input)) for block in answer.content if block.type == "tool_use"]

    def ended(self, answer: Any) -> str:
        return str(answer.stop_reason)


APIS = pytest.mark.parametrize("api", [Chat, Responses, Messages])


def faulted(fault: Fault, **more: Any) -> Episode:
    """An episode in which the fault strikes every request to the model, or those that the rule says."""
    return Episode(rule(fault, match=Model("gpt-*"), moment=None, **more))


ROWS = [[cell.split() for cell in row] for row in rows(DOCUMENTED)]


@APIS
@pytest.mark.parametrize(("problem", "of_openai", "of_anthropic"), ROWS, ids=[row[0][0] for row in ROWS])
def test_an_error_is_the_one_that_is_documented(
    api: type[Chat], problem: Any, of_openai: Any, of_anthropic: Any, server: ScriptServer
) -> None:
    before = len(server.requests)
    with api(server, faulted(ModelError(error=problem[0]))) as model, pytest.raises(api.sdk.APIStatusError) as raised:
        model.ask()
    error, body = raised.value, raised.value.response.json()
    assert len(server.requests) == before  # the model was not called
    if api is Messages:
        name, status, kind, *_ = of_anthropic
        assert body["type"] == "error"
        assert body["request_id"] == error.request_id == error.response.headers["request-id"]
        assert set(body["error"]) == {"type", "message"}
        from anthropic.types import shared

        assert isinstance(shared.ErrorResponse.model_validate(body), shared.ErrorResponse)
    else:
        name, status, kind, code, *_ = [*of_openai, "None"]
        assert set(body) == {"error"}
        assert set(body["error"]) == {"message", "type", "param", "code"}
        assert error.code == body["error"]["code"]
        assert str(error.code) == code
        assert error.request_id.startswith("req_")
    assert [type(error).__name__, str(error.status_code), body["error"]["type"]] == [name, status, kind]


@APIS
def test_a_streaming_request_fails_alike(api: type[Chat], server: ScriptServer) -> None:
    with api(server, faulted(ModelError(error="token_limit"))) as model, pytest.raises(api.sdk.RateLimitError):
        list(model.chunks())


@pytest.mark.parametrize("limit", ["requests", "tokens"])
def test_the_headers_of_openai_say_what_is_used_up(limit: str, server: ScriptServer) -> None:
    fault = ModelError(error="request_limit" if limit == "requests" else "token_limit", retry_after=90)
    with Chat(server, faulted(fault)) as model, pytest.raises(openai.RateLimitError) as raised:
        model.ask()
    headers, other = raised.value.response.headers, {"requests": "tokens", "tokens": "requests"}[limit]
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("90", "90000")
    assert headers[f"x-ratelimit-reset-{limit}"] == "1m30s"
    assert headers[f"x-ratelimit-reset-{other}"] == "0s"
    for name in ("requests", "tokens"):
        most, left = (int(headers[f"x-ratelimit-{word}-{name}"]) for word in ("limit", "remaining"))
        assert 0 <= left < most
    stated, used, wanted = map(int, re.findall(r"(?:Limit|Used|Requested) (\d+)", raised.value.message))
    assert stated == int(headers[f"x-ratelimit-limit-{limit}"])
    assert stated - used == int(headers[f"x-ratelimit-remaining-{limit}"])
    assert used + wanted > stated


@pytest.mark.parametrize(("problem", "name"), [("request_limit", "requests"), ("token_limit", "input-tokens")])
def test_the_headers_of_anthropic_say_what_is_used_up(problem: Any, name: str, server: ScriptServer) -> None:
    episode = faulted(ModelError(error=problem, retry_after=90))
    with Messages(server, episode) as model, pytest.raises(anthropic.RateLimitError) as raised:
        model.ask()
    headers = raised.value.response.headers
    assert headers["retry-after"] == "90"
    resets = {}
    for one in ("requests", "input-tokens", "output-tokens"):
        assert int(headers[f"anthropic-ratelimit-{one}-limit"]) > 0
        assert (headers[f"anthropic-ratelimit-{one}-remaining"] == "0") == (one == name)
        resets[one] = datetime.strptime(headers[f"anthropic-ratelimit-{one}-reset"], "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007
    others = [resets[one] for one in resets if one != name]
    assert all((resets[name] - other).total_seconds() == 90 for other in others)


@APIS
@pytest.mark.parametrize(
    ("fault", "name", "kinds"),
    [
        (Error(status=401), "AuthenticationError", ("invalid_request_error", "authentication_error")),
        (Error(status=404), "NotFoundError", ("invalid_request_error", "not_found_error")),
        (Error(status=500), "InternalServerError", ("server_error", "api_error")),
        (Error(status=529), None, ("server_error", "overloaded_error")),
        (Error(status=504), None, ("server_error", "timeout_error")),
        (RateLimit(retry_after=5), "RateLimitError", ("requests", "rate_limit_error")),
    ],
    ids=lambda value: f"{value.kind}-{getattr(value, 'status', '')}" if isinstance(value, Fault) else "",
)
def test_faults_of_tools_take_the_form_of_the_interface(
    api: type[Chat], fault: Fault, name: str | None, kinds: tuple[str, str], server: ScriptServer
) -> None:
    with api(server, faulted(fault)) as model, pytest.raises(api.sdk.APIStatusError) as raised:
        model.ask()
    assert name is None or type(raised.value).__name__ == name
    assert raised.value.response.json()["error"]["type"] == kinds[api is Messages]
    if isinstance(fault, RateLimit):
        assert raised.value.response.headers["retry-after"] == "5"


FORMS = {  # how a turn ended, as the clients' types name it
    kind.removesuffix(", words"): dict(
        zip((Chat, Responses, Messages), (cell.split()[0] for cell in cells), strict=True)
    )
    for kind, *cells in rows(ALTERED)
    if kind in ("refusal, words", "length, words", "content_filter, words", "empty, words")
}


@APIS
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_turn_of_words_goes_wrong(api: type[Chat], form: Any, streamed: bool, server: ScriptServer) -> None:
    episode = faulted(AlteredReply(form=form))
    with api(server, episode) as model:
        answer = model.gathered(model.second()) if streamed and form not in ("length", "content_filter") else None
        if answer is None and not streamed:
            answer = model.ask(model.second())
        if answer is None:  # the helper of OpenAI's chat raises where a stream is cut off
            answer = _cut(model, form)
    assert episode.record().exposed
    if isinstance(answer, str):
        assert answer == FORMS[form][api]
        return
    assert model.ended(answer) == FORMS[form][api]
    words = model.words(answer) or ""
    assert words != WORDS
    assert not model.calls(answer)
    if form == "length":
        assert words
        assert WORDS.startswith(words)
    if form == "refusal" and api is Chat:
        assert answer.choices[0].message.refusal
        assert answer.choices[0].message.content is None
    if form == "refusal" and api is Responses:
        assert [part.type for item in answer.output for part in item.content] == ["refusal"]


def _cut(model: Chat, form: str) -> Any:
    """What a client makes of a stream that was cut off: an answer, or the reason that its helper raises with."""
    try:
        return model.gathered(model.second())
    except openai.LengthFinishReasonError:
        return "length"
    except openai.ContentFilterFinishReasonError:
        return "content_filter"


@APIS
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("form", ["invented_tool", "repeated_call", "broken_arguments", "no_choices"])
def test_a_call_goes_wrong(api: type[Chat], form: Any, streamed: bool, server: ScriptServer) -> None:
    episode = faulted(AlteredReply(form=form))
    with api(server, episode) as model:
        messages = model.second() if form == "repeated_call" else QUESTION
        ask: Callable[[list[Any]], Any] = model.gathered if streamed else model.ask
        if form == "no_choices" and api is Chat:
            given: dict[str, Any] = {"model": "gpt-5", "messages": messages}
            assert model.real.chat.completions.create(**given).choices == []
            assert [chunk.choices for chunk in model.real.chat.completions.create(**given, stream=True)] == []
            return
        if form == "broken_arguments" and api is Messages:
            assert model.calls(ask(messages)) == [("weather", json.dumps(CITY))]  # its helper mends what it can
            assert episode.record().exposed == streamed
            return
        calls = model.calls(ask(messages))
    assert episode.record().exposed
    match form:
        case "invented_tool":
            ((name, text),) = calls
            assert name not in ("weather", "")
            assert json.loads(text) == CITY
        case "repeated_call":
            assert calls == [("weather", json.dumps(CITY))]
        case "broken_arguments":
            ((name, text),) = calls
            assert name == "weather"
            with pytest.raises(ValueError, match=r"delimiter|Expecting"):
                json.loads(text)
        case _:
            assert calls == []


def test_a_stream_of_anthropic_brings_broken_arguments(server: ScriptServer) -> None:
    with Messages(server, faulted(AlteredReply(form="broken_arguments"))) as model:
        given: dict[str, Any] = {"model": "gpt-5", "max_tokens": 99, "messages": QUESTION}
        events = list(model.real.messages.create(**given, stream=True))
    chunks = [getattr(getattr(event, "delta", None), "partial_json", "") for event in events]
    assert "".join(chunks) == '{"city": "Oslo"'
    assert events[-2].delta.stop_reason == "tool_use"


@APIS
def test_a_stream_fails_in_the_middle(api: type[Chat], server: ScriptServer) -> None:
    episode, chunks = faulted(ModelError(error="overloaded", after=8)), list[str]()
    expected = LookupError if api is Responses else api.sdk.APIError
    with api(server, episode) as model, pytest.raises(expected) as raised:
        chunks.extend(model.chunks())
    assert chunks
    assert WORDS.startswith("".join(chunks))
    assert "".join(chunks) != WORDS
    if api is Messages:
        assert raised.value.body["error"]["type"] == "overloaded_error"
    (turn,) = episode.record().turns
    assert turn.faulted
    assert turn.injections[0].kind == "model_error"


@APIS
@pytest.mark.parametrize("mode", ["reset", "closed", "hang"])
def test_a_stream_stops_or_stalls(api: type[Chat], mode: Any, server: ScriptServer) -> None:
    chunks: list[str] = []
    broken = (httpx2.TransportError, api.sdk.APIConnectionError)
    with api(server, faulted(Interrupted(after=8, mode=mode))) as model, pytest.raises(broken) as raised:
        chunks.extend(model.chunks())
    assert ("imeout" in type(raised.value).__name__) == (mode == "hang")


@APIS
def test_a_request_that_hangs_is_the_clients_own_timeout(api: type[Chat], server: ScriptServer) -> None:
    with api(server, faulted(Hang())) as model, pytest.raises(api.sdk.APITimeoutError):
        model.ask()


@APIS
def test_the_record_tells_the_clients_retries_from_the_agents(api: type[Chat], server: ScriptServer) -> None:
    episode = faulted(ModelError(error="overloaded", retry_after=0.01), when=First(3))
    with api(server, episode, max_retries=1) as model:
        with pytest.raises(api.sdk.InternalServerError):
            model.ask()
        assert model.calls(model.ask())
    turns = episode.record().turns
    assert [(turn.call.retry, turn.faulted) for turn in turns] == [(0, True), (1, True), (0, True), (1, False)]
    assert turns[0].call.arguments == turns[1].call.arguments


def test_a_draw_goes_by_the_request(server: ScriptServer) -> None:
    def drawn(order: list[int]) -> dict[int, bool]:
        episode = faulted(ModelError(), when=Probability(0.5))
        with Chat(server, episode) as model:
            found = {}
            for number in order:
                try:
                    model.ask([{"role": "user", "content": f"question {number}"}])
                    found[number] = False
                except openai.InternalServerError:
                    found[number] = True
        return found

    forward, backward = drawn(list(range(12))), drawn(list(reversed(range(12))))
    assert forward == backward
    assert set(forward.values()) == {True, False}


def test_a_rule_on_models_strikes_the_models_that_it_names_and_no_tool(server: ScriptServer) -> None:
    episode = Episode(rule(ModelError(), match=Model("o3*"), moment=None))
    with Chat(server, episode) as model:
        assert model.calls(model.ask())
    from sealegs.adapters.httpx2 import Transport

    held = Episode(rule(Error(status=503), match=Model("*")))
    inner = httpx2.MockTransport(lambda request: httpx2.Response(200, json={"ok": True}))
    with httpx2.Client(transport=Transport(held.session, inner=inner)) as client:
        assert client.post("https://chat.example/messages", json={"text": "hello"}).status_code == 200
        assert client.post("https://chat.example/prices", json={"model": "gpt-5"}).status_code == 200


def test_a_fault_of_models_warns_on_a_tool() -> None:
    from sealegs.adapters.httpx2 import Transport

    episode = Episode(rule(ModelError(), moment=None))
    inner = httpx2.MockTransport(lambda request: httpx2.Response(200, json={"ok": True}))
    with httpx2.Client(transport=Transport(episode.session, inner=inner)) as client, pytest.warns(MisfireWarning):
        assert client.get("https://shop.example/prices").json() == {"ok": True}
    assert not episode.record().exposed


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_inspect_meets_them_through_the_clients_of_its_providers(provider: str, server: ScriptServer) -> None:
    inspect_model = pytest.importorskip("inspect_ai.model", reason=needs.module("inspect_ai"))
    from sealegs.adapters.httpx2 import AsyncTransport

    episode = faulted(ModelError(error="overloaded", retry_after=0.01), when=First(1))
    client = httpx2.AsyncClient(transport=AsyncTransport(episode.session))
    base = server.url if provider == "openai" else server.root
    given: dict[str, Any] = {"base_url": base, "api_key": "none", "http_client": client}
    model = inspect_model.get_model(f"{provider}/gpt-5", memoize=False, **given)
    answer = await model.generate("Weather?", config=inspect_model.GenerateConfig(max_retries=2))
    await client.aclose()
    assert answer.message.tool_calls[0].function == "weather"
    first, second, *others = episode.record().turns  # one provider asks once more for its own ends
    assert [(turn.call.retry, turn.faulted) for turn in (first, second)] == [(0, True), (1, False)]
    assert not any(turn.faulted for turn in others)
