"""Which session a call belongs to, in whatever thread or task it is made."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sealegs.inject import AmbiguousSession, Session, VirtualClock, current


def session(name: str = "episode") -> Session:
    return Session(episode=name, clock=VirtualClock())


def in_new_thread(function: Callable[[], object]) -> object:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_without_a_session_there_is_none() -> None:
    assert current() is None
    assert in_new_thread(current) is None


def test_inside_the_block_it_is_the_current_one() -> None:
    with session() as one:
        assert current() is one
    assert current() is None


def test_threads_and_pools_started_inside() -> None:
    with session() as one:
        assert in_new_thread(current) is one
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _: current(), range(16))) == {one}


def test_a_pool_older_than_the_episode() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(current).result() is None
        with session() as one:
            assert pool.submit(current).result() is one
        with session() as other:
            assert pool.submit(current).result() is other
        assert pool.submit(current).result() is None


async def test_tasks_and_threads_of_asyncio() -> None:
    async def ask() -> Session | None:
        await asyncio.sleep(0)
        return current()

    loop = asyncio.get_running_loop()
    with session() as one:
        assert await asyncio.gather(*(asyncio.create_task(ask()) for _ in range(8))) == [one] * 8
        assert await asyncio.to_thread(current) is one
        assert await loop.run_in_executor(None, current) is one


async def test_episodes_side_by_side_keep_apart() -> None:
    async def episode(name: str) -> list[Session | None]:
        with session(name) as own:
            await asyncio.sleep(0.001)
            inside = [current(), await asyncio.to_thread(current)]
            inside.append(await asyncio.create_task(ask()))
            await asyncio.sleep(0.001)
            assert inside == [own] * 3
            return inside

    async def ask() -> Session | None:
        return current()

    found = await asyncio.gather(*(episode(str(index)) for index in range(16)))
    assert len({inside[0] for inside in found}) == 16
    assert current() is None


def test_a_thread_of_nobody_must_say_whose_it_is() -> None:
    with session("a") as one, session("b") as other:
        assert current() is other
        with ThreadPoolExecutor(1) as pool:
            with pytest.raises(AmbiguousSession, match=r"2 sessions are active \(episodes 'a', 'b'\).*session\.carry"):
                pool.submit(current).result()
            assert pool.submit(one.carry(current)).result() is one
            assert pool.submit(other.carry(current)).result() is other


async def test_an_async_function_can_be_carried() -> None:
    async def ask(name: str) -> tuple[str, Session | None]:
        await asyncio.sleep(0)
        return name, current()

    with session("a") as one, session("b"):
        assert await one.carry(ask)("x") == ("x", one)
        assert one.carry(ask).__name__ == "ask"


def test_what_is_carried_is_put_back() -> None:
    with session("a") as one, session("b") as other:
        assert one.carry(current)() is one
        assert current() is other


def test_only_an_active_session_can_be_carried() -> None:
    with pytest.raises(RuntimeError, match="with session:"):
        session().carry(current)


def test_a_thread_that_outlives_its_episode_belongs_to_nobody() -> None:
    """It must not slip into the next one."""
    with session("a") as one:
        late = one.carry(current)
    with session("b"):
        assert in_new_thread(late) is None


async def test_a_task_that_outlives_its_episode_belongs_to_nobody() -> None:
    over = asyncio.Event()

    async def ask() -> Session | None:
        await over.wait()
        return current()

    with session("a"):
        task = asyncio.create_task(ask())
        await asyncio.sleep(0)
    with session("b"):
        over.set()
        assert await task is None


def test_blocks_nest_and_follow() -> None:
    one = session("a")
    for _ in range(2):  # an episode of several turns
        with one:
            assert current() is one
            with session("b") as other:
                assert current() is other
            assert current() is one
    assert current() is None


def test_a_session_is_entered_once_at_a_time() -> None:
    with session() as one, pytest.raises(RuntimeError, match="active already"):
        one.__enter__()
    assert current() is None


def test_an_error_in_the_block_ends_it() -> None:
    with pytest.raises(LookupError), session():
        raise LookupError
    assert current() is None


async def test_a_block_may_end_in_another_context_than_it_began_in() -> None:
    """As those of fixtures do."""
    one = session()
    one.__enter__()
    await asyncio.create_task(_leave(one))
    assert current() is None
    with session() as other:
        assert current() is other


async def _leave(one: Session) -> None:
    one.__exit__(None, None, None)
