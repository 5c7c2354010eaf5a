"""Faults on the wire: what each HTTP client sees, beside what it sees of a server that really breaks."""

from __future__ import annotations

import asyncio
import importlib
import io
import json
import re
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.faults import Failure, Fault, Rule, Value
from sealegs.faults.kinds import (
    Connection,
    Delay,
    Delta,
    Drip,
    Duplicate,
    Empty,
    Error,
    Hang,
    Interrupted,
    LostAck,
    Malformed,
    RateLimit,
    SchemaDrift,
    SilentNoop,
    Timeout,
    WrongEntity,
)
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Argument, First, Nth, Probability, Tool
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.traces import Recorder, build_record
from tests import needs
from tests.adapters.http_clients import KINDS, Got, ask, raised
from tests.adapters.http_server import BODY, EVENTS, PRICES, Served
from tests.adapters.shop import Episode, silent, without_places
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)


def seen(got: Got) -> tuple[Any, ...]:
    headers = {name.lower(): value for name, value in got.headers.items() if name.lower() != "date"}
    return got.status, headers, got.body


@ALL_KINDS
@pytest.mark.parametrize("path", ["prices", "zipped", "page", "binary", "missing", "events"])
async def test_nothing_changes_where_nothing_strikes(kind: str, path: str, served: Served) -> None:
    url = f"{served.url}/{path}"
    bare = seen(await ask(kind, None, url, bare=True))
    episode = Episode()
    for session in (None, silent(), silent(Delay(seconds=1.0)), episode.session):
        assert seen(await ask(kind, session, url)) == bare
    (turn,) = episode.record().turns
    assert turn.call.tool == f"GET {served.host}/{path}"
    assert turn.shown == turn.said
    if path in ("prices", "zipped"):
        assert turn.shown == Value(PRICES)
    if path == "missing":
        assert isinstance(turn.shown, Failure)
        assert (turn.shown.status, turn.shown.body) == (404, {"body": {"detail": "no such thing"}})


@ALL_KINDS
@pytest.mark.parametrize("recorded", [False, True])
async def test_a_refused_request_without_effects_is_never_made(kind: str, recorded: bool, served: Served) -> None:
    watcher = Recorder(VirtualClock()) if recorded else None
    session = Session(plan(rule(Error(status=503))), clock=VirtualClock(), watcher=watcher)
    answers = [await ask(kind, session, f"{served.url}/prices?item={number}") for number in range(12)]
    assert [answer.status for answer in answers] == [503] * 12
    assert served.requests == []  # had its effects not been known, half of them would have been struck after the work


BREAKS: list[tuple[str, Fault, str]] = [
    ("reset", Connection(mode="reset"), ""),
    ("closed", Hang(seconds=0.01), ""),
    ("hang", Hang(), ""),
    ("half", Interrupted(mode="closed"), ""),
    ("halfreset", Interrupted(mode="reset"), ""),
    ("halfhang", Interrupted(mode="hang"), ""),
    ("refused", Connection(mode="refused"), "http://127.0.0.1:9/prices"),
    ("dns", Connection(mode="dns"), "http://nowhere.invalid/prices"),
]


def error_text(error: Exception) -> str:
    """Its text without what differs from server to server."""
    text = re.sub(r"0x[0-9a-f]+", "0x", str(error))
    text = re.sub(r"nowhere\.invalid|127\.0\.0\.1", "host", text)
    return re.sub(r"port=\d+|url: \S+|'host'", "...", text)


@ALL_KINDS
@pytest.mark.parametrize(("path", "fault", "elsewhere"), BREAKS, ids=[name for name, *_ in BREAKS])
async def test_a_connection_breaks_as_a_real_one_does(
    kind: str, path: str, fault: Fault, elsewhere: str, served: Served
) -> None:
    patience = 0.3 if "hang" in path else 60.0
    real = await raised(kind, None, elsewhere or f"{served.url}/{path}", bare=True, timeout=patience)
    session = Session(plan(rule(fault)), clock=RealClock())
    ours = await raised(kind, session, f"{served.url}/prices", timeout=patience)
    assert type(ours) is type(real)
    assert error_text(ours) == error_text(real)
    assert (ours.request is None) == (real.request is None)  # type: ignore[attr-defined]
    text = "".join(traceback.format_exception(ours))
    assert PACKAGE not in text
    assert "sealegs" not in without_places(text).lower()


@ALL_KINDS
async def test_a_real_break_passes_as_it_is(kind: str, served: Served) -> None:
    for path in ("reset", "closed", "half", "halfchunked"):
        url = f"{served.url}/{path}"
        real = await raised(kind, None, url, bare=True)
        for session in (silent(), Episode().session, silent(Delay(seconds=1.0)), silent(Delta())):
            ours = await raised(kind, session, url)
            assert (type(ours), str(ours)) == (type(real), str(real))
            assert PACKAGE not in "".join(traceback.format_exception(ours))


@ALL_KINDS
async def test_an_error_is_an_answer_with_a_body(kind: str, served: Served) -> None:
    got = await ask(kind, silent(Error(status=503, retry_after=1.5, body={"region": "north"})), f"{served.url}/prices")
    assert got.status == 503
    assert got.headers["retry-after"] == "2"
    assert got.headers["content-type"] == "application/json"
    error = {"status": 503, "type": "ServiceUnavailable", "message": "Service Unavailable", "retry_after": 1.5}
    assert got.json() == {"error": {**error, "region": "north"}}
    assert (await ask(kind, silent(RateLimit()), f"{served.url}/prices")).status == 429
    assert (await ask(kind, silent(Error(exception="KeyError", message="x")), f"{served.url}/prices")).status == 500
    assert not served.requests


@ALL_KINDS
async def test_a_body_goes_wrong(kind: str, served: Served) -> None:
    for path in ("prices", "zipped"):
        url = f"{served.url}/{path}"
        drifted = (await ask(kind, silent(Delta(fields=("price",))), url)).json()
        assert drifted["price"] != PRICES["price"]
        assert {**drifted, "price": 12} == PRICES
        renamed = (await ask(kind, silent(SchemaDrift(field="stock", mode="dropped")), url)).json()
        assert renamed.keys() == PRICES.keys() - {"stock"}
        assert (await ask(kind, silent(Empty()), url)).json()["price"] is None
        broken = await ask(kind, silent(Malformed()), url)
        assert broken.status == 200
        assert broken.headers["content-length"] == str(len(broken.body))
        with pytest.raises(ValueError, match=r"\w"):
            broken.json()
        cut = await ask(kind, silent(Malformed(mode="cut")), url)
        assert BODY.startswith(cut.body)
    page = await ask(kind, silent(Delta()), f"{served.url}/page")
    assert page.body.startswith(b"It is sunny in Oslo")
    assert b"21" not in page.body


@ALL_KINDS
async def test_events_pass_as_they_come_and_break_off(kind: str, served: Served) -> None:
    url = f"{served.url}/events"
    episode = Episode(rule(Delay(seconds=1.0)))
    served.patience = 120.0  # where a transport holds back what it has, the client gives up first

    def heard(chunk: bytes) -> None:
        served.sent.append("heard")
        served.heard.release()

    await ask(kind, episode.session, url, heard=heard)
    assert served.sent == ["event", "heard"] * 4
    served.patience = 0.0
    assert episode.record().turns[0].shown == Value([event.decode() for event in EVENTS])
    chunks: list[bytes] = []
    session = silent(Interrupted(after=2))
    error = await raised(kind, session, url, heard=chunks.append)
    assert b"".join(chunks) == b"".join(EVENTS[:2])
    assert type(error).__name__ in ("ReadError", "ChunkedEncodingError")


@ALL_KINDS
async def test_a_body_trickles_in(kind: str, served: Served) -> None:
    episode = Episode(rule(Drip(seconds=2.0)))
    moments: list[float] = []
    chunks: list[bytes] = []

    def heard(chunk: bytes) -> None:
        moments.append(episode.session.clock.now())
        chunks.append(chunk)

    await ask(kind, episode.session, f"{served.url}/prices", heard=heard, timeout=3.0)
    assert b"".join(chunks) == BODY
    # requests reads a measured body in one go, as long as each read is within its timeout
    assert moments == ([18.0] if kind == "requests" else [2.0 * n for n in range(2, 10)])
    assert episode.record().exposed
    error = await raised(kind, silent(Drip(seconds=4.0)), f"{served.url}/prices", timeout=3.0)
    assert type(error).__name__ == "ReadTimeout"


@ALL_KINDS
async def test_events_trickle_in_as_the_server_sends_them(kind: str, served: Served) -> None:
    """The server sends the next event when the client has heard the last."""
    episode = Episode(rule(Drip(seconds=20.0)))
    served.patience = 120.0
    moments: list[float] = []

    def heard(chunk: bytes) -> None:
        served.sent.append("heard")
        moments.append(episode.session.clock.now())
        served.heard.release()

    await ask(kind, episode.session, f"{served.url}/events", heard=heard, timeout=30.0)
    assert served.sent == ["event", "heard"] * 4
    assert moments == [40.0, 60.0, 80.0, 100.0]  # the head is the first chunk
    assert episode.record().turns[0].shown == Value([event.decode() for event in EVENTS])


@ALL_KINDS
async def test_a_clients_timeout_ends_waits(kind: str, served: Served) -> None:
    url = f"{served.url}/prices"
    for fault in (Hang(), Delay(seconds=9.0), Timeout(seconds=9.0), LostAck(seconds=9.0)):
        episode = Episode(rule(fault))
        error = await raised(kind, episode.session, url, timeout=3.0)
        assert type(error).__name__ == "ReadTimeout"
        assert episode.session.clock.now() == 3.0
        record = episode.record()
        assert record.exposed
        assert record.turns[0].shown is None
    assert (await ask(kind, silent(Delay(seconds=2.0)), url, timeout=3.0)).json() == PRICES
    assert type(await raised(kind, silent(Timeout(seconds=9.0)), url, timeout=None)).__name__ == "ReadTimeout"


@ALL_KINDS
async def test_what_a_request_asks_for_decides(kind: str, served: Served) -> None:
    big = Argument(name="body.order.count", above=10)
    session = Session(plan(rule(Error(status=409), match=Tool("POST *") & big)), clock=VirtualClock())
    found = [await ask(kind, session, f"{served.url}/prices", json={"order": {"count": count}}) for count in (1, 11)]
    assert [got.status for got in found] == [200, 409]
    query = Session(plan(rule(Error(status=409), match=Argument(name="query.city", equals="Oslo"))))
    assert (await ask(kind, query, f"{served.url}/prices?city=Oslo")).status == 409
    assert (await ask(kind, query, f"{served.url}/prices?city=Bergen")).status == 200


@ALL_KINDS
async def test_requests_have_names(kind: str, served: Served) -> None:
    episode = Episode(rule(Error(status=503), tool="get_price", when=First(1)))
    tools = {"get_price": "GET */prices*"}
    found = [
        await ask(kind, episode.session, f"{served.url}/{path}", tools=tools) for path in ("page", "prices", "prices/2")
    ]
    assert [got.status for got in found] == [200, 503, 200]
    assert [turn.call.tool for turn in episode.record().turns] == [f"GET {served.host}/page", "get_price", "get_price"]


@pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")  # it cannot run dry, as is found out here
@ALL_KINDS
async def test_effects(kind: str, served: Served) -> None:
    url = f"{served.url}/prices"
    for fault, runs, delivered in ((Duplicate(), 2, True), (LostAck(), 1, True), (SilentNoop(), 1, False)):
        served.requests.clear()
        episode = Episode(rule(fault))
        if isinstance(fault, LostAck):
            await raised(kind, episode.session, url, json={"item": "pen"}, timeout=None)
        else:
            assert (await ask(kind, episode.session, url, json={"item": "pen"})).json() == PRICES
        assert [json.loads(body) for _, _, body in served.requests] == [{"item": "pen"}] * runs
        assert episode.record().exposed == delivered


@ALL_KINDS
async def test_a_fault_asks_for_something_else(kind: str, served: Served) -> None:
    spec = ToolSpec("look", examples=({"path": "/page"},))
    session = Session(plan(rule(WrongEntity())), specs=(spec,), clock=VirtualClock())
    got = await ask(kind, session, f"{served.url}/prices?x=1", tools={"look": "GET *"})
    assert got.body == b"It is sunny in Oslo, 21 degrees."
    assert [path for _, path, _ in served.requests] == ["/page", "/prices?x=1"]


@pytest.mark.parametrize("kind", ["httpx async", "httpx2 async"])
async def test_the_same_plan_strikes_the_same_requests_side_by_side(kind: str, served: Served) -> None:
    async def statuses(concurrent: bool) -> list[list[int]]:
        session = Session(plan(rule(Error(status=503), when=Probability(0.5)), seed=3), clock=VirtualClock())

        async def chain(path: str) -> list[int]:
            return [(await ask(kind, session, f"{served.url}/{path}")).status for _ in range(4)]

        chains = [chain(path) for path in ("prices", "page", "zipped")]
        return list(await asyncio.gather(*chains)) if concurrent else [await each for each in chains]

    alone = await statuses(False)
    assert {status for found in alone for status in found} == {200, 503}
    assert await statuses(True) == alone


@pytest.mark.parametrize("kind", ["httpx async", "httpx2 async"])
@pytest.mark.parametrize("fault", [Hang(), Interrupted(mode="hang"), Delay(seconds=600)], ids=lambda fault: fault.kind)
async def test_a_wait_is_ended_by_the_agents_own_timeout(kind: str, fault: Fault, served: Served) -> None:
    clock = RealClock()
    recorder = Recorder(clock)
    recorder.start("episode", {})
    session = Session(plan(rule(fault)), clock=clock, watcher=recorder)
    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.5):
            await ask(kind, session, f"{served.url}/prices", timeout=None)
    assert PACKAGE not in "".join(traceback.format_exception(raised.value))
    recorder.finish("answered")
    (turn,) = build_record(recorder.events).turns
    (injection,) = turn.injections
    assert (turn.shown, injection.shown, injection.cut_off) == (None, None, True)
    assert injection.waited is not None
    assert 0 < injection.waited < 60


@ALL_KINDS
async def test_the_active_session_is_found(kind: str, served: Served) -> None:
    with Session(plan(rule(Error(status=503)))):
        assert (await ask(kind, None, f"{served.url}/prices")).status == 503
    assert (await ask(kind, None, f"{served.url}/prices")).status == 200


def test_the_library_retries_above_the_wire(served: Served) -> None:
    requests = pytest.importorskip("requests", reason=needs.module("requests"))
    from urllib3.util import Retry

    from sealegs.adapters.requests import Adapter

    storm = plan(
        rule(Connection(mode="refused"), when=First(1)),
        rule(Error(status=503, retry_after=0), when=First(2)),
        rule(Connection(mode="reset"), when=First(3)),
    )
    retries = Retry(total=5, status_forcelist=[503], backoff_factor=0, read=3)
    with requests.Session() as client:
        client.mount("http://", Adapter(Session(storm), max_retries=retries))
        response = client.get(f"{served.url}/prices", timeout=60)
    assert response.json() == PRICES
    assert [entry.status for entry in response.raw.retries.history] == [None, 503, None]
    assert response.cookies["visit"] == "1"


def test_a_connection_goes_back_to_its_pool(served: Served) -> None:
    requests = pytest.importorskip("requests", reason=needs.module("requests"))
    from sealegs.adapters.requests import Adapter

    adapter = Adapter(Session(plan(rule(Delay(seconds=0.0)))), pool_block=True, pool_maxsize=1)
    with requests.Session() as client:
        client.mount("http://", adapter)
        for _ in range(3):
            assert client.get(f"{served.url}/prices", timeout=60).json() == PRICES
        (key,) = adapter.poolmanager.pools.keys()
        pool = adapter.poolmanager.pools[key]
        assert (pool.num_connections, pool.num_requests) == (1, 3)


LOST: list[Fault] = [
    Error(status=503),
    RateLimit(),
    Timeout(seconds=0.01),
    Connection(mode="reset"),
    Hang(seconds=0.01),
]


@ALL_KINDS
@pytest.mark.parametrize("path", ["prices", "events"])
@pytest.mark.parametrize("fault", LOST, ids=lambda fault: fault.kind)
async def test_a_failure_comes_before_the_server_s_work_or_after_it(
    kind: str, path: str, fault: Fault, served: Served
) -> None:
    """The server's own list says how often it was called; the client cannot tell the two apart."""
    seen: dict[str, str] = {}
    for moment in ("before", "after"):
        served.requests.clear()
        episode = Episode(rule(fault, moment=moment))
        try:
            got = await ask(kind, episode.session, f"{served.url}/{path}", json={"count": 1})
            seen[moment] = f"{got.status} {got.body!r}"
        except Exception as error:
            seen[moment] = f"{type(error).__name__}: {error}"
        assert [method for method, _, _ in served.requests] == ["POST"] * (moment == "after")
        (turn,) = episode.record().turns
        assert [injection.moment for injection in turn.injections] == [moment]
        assert turn.worked == turn.lost == (moment == "after")
    assert seen["before"] == seen["after"]


@pytest.mark.parametrize("form", ["httpx", "httpx2"])
async def test_the_answer_that_is_lost_gives_its_connection_back(form: str, served: Served) -> None:
    """With one connection for all, the second call would wait for ever."""
    library = pytest.importorskip(form, reason=needs.module(form))
    ours = importlib.import_module(f"sealegs.adapters.{form}")
    limits = library.Limits(max_connections=1)
    session = silent_at("after", Error(status=503))
    with library.Client(transport=ours.Transport(session, library.HTTPTransport(limits=limits)), timeout=60) as client:
        assert [client.post(f"{served.url}/events").status_code for _ in range(3)] == [503] * 3
    inner = library.AsyncHTTPTransport(limits=limits)
    async with library.AsyncClient(transport=ours.AsyncTransport(session, inner), timeout=60) as client:
        assert [(await client.post(f"{served.url}/events")).status_code for _ in range(3)] == [503] * 3
    assert len(served.requests) == 6


def test_the_answer_that_requests_loses_gives_its_connection_back(served: Served) -> None:
    requests = pytest.importorskip("requests", reason=needs.module("requests"))
    ours = importlib.import_module("sealegs.adapters.requests")
    with requests.Session() as client:
        session = silent_at("after", Error(status=503))
        client.mount("http://", ours.Adapter(session, pool_maxsize=1, pool_block=True))
        assert [client.post(f"{served.url}/events", timeout=60).status_code for _ in range(3)] == [503] * 3
    assert len(served.requests) == 3


@pytest.mark.parametrize("plan_rules", [(), (rule(Error(status=503), when=Nth(1000)),)], ids=["no rule", "not yet"])
async def test_an_upload_from_a_generator_arrives_whole(plan_rules: tuple[Rule, ...], served: Served) -> None:
    """Its body can be read once alone, and whether a rule fires is known only after it was read."""
    requests = pytest.importorskip("requests", reason=needs.module("requests"))
    httpx = pytest.importorskip("httpx", reason=needs.module("httpx"))
    of_requests, of_httpx = (importlib.import_module(f"sealegs.adapters.{name}") for name in ("requests", "httpx"))
    url, length = f"{served.url}/prices", {"Content-Length": "6"}

    async def later() -> AsyncIterator[bytes]:
        for chunk in (b"abc", b"def"):
            yield chunk

    session = Session(plan(*plan_rules), clock=VirtualClock())
    with requests.Session() as client:
        client.mount("http://", of_requests.Adapter(session))
        client.send(requests.Request("POST", url, data=io.BytesIO(b"abcdef")).prepare())
    with httpx.Client(transport=of_httpx.Transport(session)) as client:
        client.post(url, content=iter([b"abc", b"def"]), headers=length)
    async with httpx.AsyncClient(transport=of_httpx.AsyncTransport(session)) as client:
        await client.post(url, content=later(), headers=length)
    assert [body for _, _, body in served.requests] == [b"abcdef"] * 3


def silent_at(moment: str, fault: Fault) -> Session:
    return Session(plan(rule(fault, moment=moment)), clock=VirtualClock())
