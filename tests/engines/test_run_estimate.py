"""Estimates before a run and forecasts in it: ranges that hold what comes, and words that fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealegs.engines.run_estimate import (
    EpisodeUse,
    SizeRange,
    Span,
    dollars,
    from_finished,
    from_sizes,
    short_number,
    spoken_time,
)
from tests import needs


def test_finished_episodes_say_nothing_before_there_are_three_that_asked_a_model() -> None:
    one, none = EpisodeUse(4, 900, 0.0, 2.0), EpisodeUse(0, 0, 0.0, 0.0)
    assert from_finished(10, [one, one, none]) is None
    found = from_finished(10, [one] * 3)
    assert found is not None
    assert str(found) == (
        "10 episodes, 40 questions to the model, 9,000 tokens, 20 s one after the other "
        "(95 %, from 3 episodes that are finished)"
    )
    assert [(row["metric"], row["low"], row["n"]) for row in found.rows({"model": "m"})] == [
        ("estimated_questions", 40, 10),
        ("estimated_tokens", 9_000, 10),
        ("estimated_seconds", 20, 10),
    ]


def test_prices_make_money_of_what_is_sent_and_written() -> None:
    class Price:
        input, output = 3.0, 15.0

    size = SizeRange(Span(4, 6), Span(43_000, 60_000), Span(430, 600), "a test")
    found = from_sizes(100, size, Price())
    assert found.tokens == pytest.approx((1_010_000, 2_020_000))
    assert found.cost == pytest.approx((3.15, 6.3))
    assert "$3.15 to $6.30 (from a test; reasoning comes on top)" in str(found)


@pytest.mark.parametrize(("value", "words"), [(7.4, "7"), (950, "950"), (1_234, "1,230"), (4_234_567, "4.23 million")])
def test_numbers_in_words(value: float, words: str) -> None:
    assert short_number(value) == words


def test_money_and_time_in_words() -> None:
    assert (dollars(0.004), dollars(12.5)) == ("$0.004", "$12.50")
    assert [spoken_time(one) for one in (50, 400, 9_000, 400_000)] == ["50 s", "7 min", "2 h", "5 days"]


def test_a_forecast_tells_time_by_the_clock_and_tokens_by_what_was_done() -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    from sealegs.engines.inspect_forecast import LINES, Forecast

    class Clock:
        seconds = 0.0

        def now(self) -> float:
            return self.seconds

    clock = Clock()
    forecast = Forecast(40, clock=clock)
    lines = []
    for _ in range(40):
        clock.seconds += 30
        lines.append(forecast.add(EpisodeUse(5, 1_000, 0.01, 0)))
    shown = [line for line in lines if line]
    assert len(shown) == LINES
    assert shown[0] == "4 of 40 episodes; about 18 min, 36,000 tokens, $0.36 left"
    assert shown[-1] == "40 of 40 episodes"


def test_prices_may_be_those_of_any_model(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    from sealegs.engines.inspect_prices import price_named, use_prices
    from sealegs.engines.logs import LogError

    file = tmp_path / "prices.yaml"
    file.write_text("sealegs/my-own: {input: 1, output: 2, input_cache_write: 1, input_cache_read: 0.1}\n", "utf-8")
    use_prices(str(file))
    price = price_named("sealegs/my-own")
    assert price is not None
    assert (price.input, price.output) == (1, 2)
    assert price_named("sealegs/another") is None
    for text, message in [
        ("a/b: {input: 1}", "a/b: output: Field required"),
        ("a/b: {input: -1, output: 2, input_cache_write: 1, input_cache_read: 1}", "no price is below 0"),
        ("a/b: 3", "3 is not a price"),
        ("- 1", "holds no prices by model"),
        ("{", "cannot be read"),
    ]:
        file.write_text(text, "utf-8")
        with pytest.raises(LogError, match=message):
            use_prices(str(file))
