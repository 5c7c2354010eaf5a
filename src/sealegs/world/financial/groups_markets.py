"""Alternative groups of the financial domain: currency forwards and consumer prices."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.financial.wiring import given, rows, told

__all__ = ["CURRENCY_FORWARD", "FORWARD_RATE", "INDEXED_AMOUNT", "INFLATION"]

_DEAL = ("buy_currency", "sell_currency", "buy_amount", "value_date")
_POINTS = given("value_date", base="buy_currency", quote="sell_currency")

FORWARD_RATE = Pattern(
    name="forward_rate",
    purpose="What one unit of a currency costs in another for delivery on a later day, with the spot rate of today.",
    inputs=_DEAL,
    exports=("forward_rate", "spot_rate", "days"),
    ways=(
        Way("points", {"forward_points": _POINTS}, told("forward_points", "forward_rate", "spot_rate", "days")),
        Way(
            "quotation",
            {"request_forward_quote": given(*_DEAL)},
            told("request_forward_quote", "forward_rate", "spot_rate", "days"),
        ),
    ),
    examples=rows(
        _DEAL,
        ("USD", "EUR", 18000.0, "2026-08-14"),
        ("EUR", "GBP", 5400.25, "2026-05-29"),
        ("JPY", "USD", 1500000, "2026-11-02"),
        ("ZAR", "EUR", 320000, "2027-02-10"),
    ),
)

_STRUCK = ("deal_id", "forward_rate", "sell_amount", "margin")

CURRENCY_FORWARD = Pattern(
    name="currency_forward",
    purpose="Buy foreign money for delivery on a later day at the market's forward rate.",
    inputs=_DEAL,
    exports=_STRUCK,
    ways=(
        Way(
            "rate_and_deal",
            {
                "forward_points": _POINTS,
                "book_forward": {**given(*_DEAL), "forward_rate": "forward_points.forward_rate"},
            },
            told("book_forward", *_STRUCK),
        ),
        Way(
            "quote_and_accept",
            {
                "request_forward_quote": given(*_DEAL),
                "accept_forward_quote": {"quote_id": "request_forward_quote.quote_id"},
            },
            told("accept_forward_quote", *_STRUCK),
        ),
    ),
    examples=rows(
        _DEAL,
        ("USD", "EUR", 62500.0, "2026-06-30"),
        ("GBP", "EUR", 8499.99, "2026-04-22"),
        ("JPY", "EUR", 2750000, "2026-12-15"),
        ("CHF", "SEK", 14000, "2026-09-09"),
        ("EUR", "KRW", 3300.5, "2026-07-07"),
    ),
)

_SPAN = ("country_code", "from_month", "to_month")

INFLATION = Pattern(
    name="inflation",
    purpose="By how many per cent consumer prices of a country rose from one month to a later one.",
    inputs=_SPAN,
    exports=("inflation_percent", "first_index", "last_index"),
    ways=(
        Way(
            "rise",
            {"inflation_between": given(*_SPAN)},
            told("inflation_between", "inflation_percent", "first_index", "last_index"),
        ),
        Way(
            "series",
            {"price_index_series": given(*_SPAN)},
            told("price_index_series", "inflation_percent", "first_index", "last_index"),
        ),
    ),
    examples=rows(
        _SPAN,
        ("GB", "2021-01", "2025-12"),
        ("FR", "2022-05", "2025-09"),
        ("CH", "2020-02", "2023-08"),
        ("IN", "2024-04", "2025-10"),
    ),
)

INDEXED_AMOUNT = Pattern(
    name="indexed_amount",
    purpose="What an amount of one month is in the consumer prices of a later month of the same country.",
    inputs=("amount", "currency", *_SPAN),
    exports=("adjusted_amount", "increase", "last_index"),
    ways=(
        Way(
            "by_index",
            {
                "price_index_series": given(*_SPAN),
                "index_adjusted_amount": {
                    **given("amount", "currency"),
                    "from_index": "price_index_series.first_index",
                    "to_index": "price_index_series.last_index",
                },
            },
            told("index_adjusted_amount", "adjusted_amount", "increase") | told("price_index_series", "last_index"),
        ),
        Way(
            "by_percent",
            {
                "inflation_between": given(*_SPAN),
                "amount_after_inflation": {
                    **given("amount", "currency"),
                    "inflation_percent": "inflation_between.inflation_percent",
                },
            },
            told("amount_after_inflation", "adjusted_amount", "increase") | told("inflation_between", "last_index"),
        ),
    ),
    examples=rows(
        ("amount", "currency", *_SPAN),
        (1850.0, "EUR", "DE", "2020-03", "2025-12"),
        (42000, "USD", "US", "2021-06", "2025-11"),
        (790.4, "GBP", "GB", "2022-10", "2024-10"),
        (350000, "JPY", "JP", "2019-12", "2025-06"),
        (1275000.55, "SEK", "SE", "2023-02", "2025-08"),
    ),
)
