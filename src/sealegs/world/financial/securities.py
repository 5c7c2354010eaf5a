"""Listed shares and funds: what they cost, what they cost lately, and orders to buy or sell them.

It is before the opening on a Monday, so the last price is Friday's close and an order rests until it is filled.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, OneOf, Ordered, Requires, Sums
from sealegs.world.financial.facts import EXCHANGES, closes, rounded_amount, security
from sealegs.world.financial.money_arguments import CODED, Day, Symbol, coming_date
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

BAND = 0.1
"""Share of the last price by which a limit may lie off it."""

COMMISSION = 0.001


class SecurityQuote(Answer):
    """What a security costs."""

    symbol: str = Field(description="Ticker symbol")
    name: str = Field(description="Name of the company or fund")
    kind: str = Field(description="Share or fund")
    exchange: str = Field(description="Trading venue, ISO 10383 market identifier code")
    currency: str = Field(description="Currency of every price")
    last_price: float = Field(description="Price of the last trade")
    bid: float = Field(description="Best price offered by buyers")
    ask: float = Field(description="Best price asked by sellers")
    previous_close: float = Field(description="Close of the trading day before the last")
    change: float = Field(description="last_price less previous_close")
    previous_close_on: str = Field(description="Day of previous_close")
    last_traded_on: str = Field(description="Day of the last trade")


@simulated_tool(
    category="source",
    answer=SecurityQuote,
    examples=(
        {"symbol": "NVLK"},
        {"symbol": "HBRW"},
        {"symbol": "LUMQ"},
        {"symbol": "SKUR"},
        {"symbol": "FJLL"},
        {"symbol": "EUBD"},
    ),
    refusals=(
        ({"symbol": "ZZZZ"}, 404),
        ({"symbol": "northvale"}, 422),
    ),
    echoes=("symbol",),
    invariants=(
        Known("currency", "exchange", EXCHANGES),
        OneOf("kind", ("share", "fund"), ("receipt", "voucher")),
        Bounds("last_price", 0.01, 1e6),
        Bounds("ask", 0.01, 1e6),
        Bounds("bid", 0.01, 1e6),
        Sums("last_price", ("previous_close", "change")),
        Formula("last_price", ("bid", "ask"), lambda bid, ask: (bid + ask) / 2, "last_price lies between bid and ask"),
        Ordered("previous_close_on", "last_traded_on"),
    ),
)
def security_quote(world: World, symbol: Symbol) -> dict[str, Any]:
    """Quote a listed share or fund by ticker symbol: last price with bid, ask, currency and change on the day."""
    found = security(symbol)
    (day, last), (day_before, before) = closes(symbol)[:2]
    return {
        "symbol": found.symbol,
        "name": found.name,
        "kind": found.kind,
        "exchange": found.exchange,
        "currency": found.currency,
        "last_price": last,
        "bid": rounded_amount(last * 0.9985, found.currency),
        "ask": rounded_amount(last * 1.0015, found.currency),
        "previous_close": before,
        "change": rounded_amount(last - before, found.currency),
        "previous_close_on": day_before,
        "last_traded_on": day,
    }


class Close(Answer):
    """The closing price of a day."""

    day: str = Field(description="Trading day")
    close: float = Field(description="Price of its last trade")


class PriceHistory(Answer):
    """The closing prices of a security, with what is to say of them."""

    symbol: str = Field(description="Ticker symbol")
    exchange: str = Field(description="Trading venue, ISO 10383 market identifier code")
    currency: str = Field(description="Currency of every price")
    latest_close: float = Field(description="Close of the latest day")
    mean_close: float = Field(description="Mean of the closes")
    highest_close: float = Field(description="Highest of the closes")
    lowest_close: float = Field(description="Lowest of the closes")
    period_start: str = Field(description="First trading day covered")
    period_end: str = Field(description="Last trading day covered")
    day_count: int = Field(description="How many trading days are covered")
    closes: list[Close] = Field(description="The closes, the latest first")


@simulated_tool(
    category="source",
    answer=PriceHistory,
    examples=(
        {"symbol": "NVLK"},
        {"symbol": "HBRW", "days": 5},
        {"symbol": "LUMQ", "days": 30},
        {"symbol": "SKUR"},
        {"symbol": "FJLL", "days": 60},
        {"symbol": "EUBD"},
    ),
    refusals=(
        ({"symbol": "ZZZZ"}, 404),
        ({"symbol": "NVLK", "days": 1000}, 422),
    ),
    echoes=("symbol",),
    invariants=(
        Known("currency", "exchange", EXCHANGES),
        Bounds("latest_close", 0.01, 1e6),
        Bounds("mean_close", 0.01, 1e6),
        Mean("mean_close", "closes.close"),
        Counts("day_count", "closes"),
        Formula("latest_close", ("closes.0.close",), lambda close: close, "latest_close is the first of the closes"),
        Formula(
            "highest_close", ("closes",), lambda rows: max(row["close"] for row in rows), "highest_close is the highest"
        ),
        Formula(
            "lowest_close", ("closes",), lambda rows: min(row["close"] for row in rows), "lowest_close is the lowest"
        ),
        Ordered("period_start", "period_end"),
        Ordered("closes.day", "period_end"),
    ),
)
def price_history(
    world: World,
    symbol: Symbol,
    days: Annotated[int, Field(ge=2, le=60, description="How many trading days")] = 10,
) -> dict[str, Any]:
    """List the daily closing prices of a listed share or fund over the last trading days, with mean, high and low."""
    found = security(symbol)
    rows = closes(symbol)[:days]
    prices = [price for _, price in rows]
    return {
        "symbol": found.symbol,
        "exchange": found.exchange,
        "currency": found.currency,
        "latest_close": prices[0],
        "mean_close": rounded_amount(sum(prices) / len(prices), found.currency),
        "highest_close": max(prices),
        "lowest_close": min(prices),
        "period_start": rows[-1][0],
        "period_end": rows[0][0],
        "day_count": len(rows),
        "closes": [{"day": day, "close": price} for day, price in rows],
    }


class SecurityOrder(Answer):
    """An order that rests in the book of its venue."""

    order_id: str = Field(description="Id of the order")
    status: Literal["accepted", "rejected"] = Field(description="Whether the venue took the order")
    symbol: str = Field(description="Ticker symbol")
    side: str = Field(description="Buy or sell")
    quantity: int = Field(description="Number of shares or units")
    limit_price: float = Field(description="Worst price at which it may be filled")
    currency: str = Field(description="Currency of every amount")
    order_value: float = Field(description="quantity x limit_price")
    commission: float = Field(description="The broker's charge")
    placed_on: str = Field(description="Day of the order")
    valid_until: str = Field(description="Last day on which it may be filled")


Side = Annotated[Literal["buy", "sell"], Field(description="Whether to buy or to sell")]
Quantity = Annotated[int, Field(ge=1, le=100_000, description="Number of shares or units")]
Limit = Annotated[float, Field(gt=0, le=1e6, description="Worst acceptable price, at most a tenth off the last price")]


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="trading_history",
    answer=SecurityOrder,
    examples=(
        {"symbol": "NVLK", "side": "buy", "quantity": 40, "limit_price": 84.5},
        {"symbol": "HBRW", "side": "sell", "quantity": 300, "limit_price": 12.2, "valid_until": "2026-03-20"},
        {"symbol": "SKUR", "side": "buy", "quantity": 100, "limit_price": 4400},
        {"symbol": "EUBD", "side": "buy", "quantity": 250, "limit_price": 97.1, "valid_until": "2026-04-30"},
    ),
    refusals=(
        ({"symbol": "ZZZZ", "side": "buy", "quantity": 1, "limit_price": 10}, 404),
        ({"symbol": "NVLK", "side": "buy", "quantity": 1, "limit_price": 120}, 400),
        ({"symbol": "NVLK", "side": "hold", "quantity": 1, "limit_price": 84}, 422),
    ),
    echoes=("symbol", "side", "quantity", "limit_price", "valid_until"),
    invariants=(
        CODED,
        Requires("order_id", "status", "accepted"),
        Formula(
            "order_value",
            ("quantity", "limit_price"),
            lambda quantity, limit: quantity * limit,
            "order_value is quantity x limit_price",
        ),
        Bounds("order_value", 0, 1e11),
        Bounds("commission", 0, 1e8),
        Ordered("placed_on", "valid_until"),
    ),
)
def place_security_order(
    world: World, symbol: Symbol, side: Side, quantity: Quantity, limit_price: Limit, valid_until: Day = TODAY
) -> dict[str, Any]:
    """Place a limit order to buy or sell a listed share or fund; it is valid today or until a later day."""
    found = security(symbol)
    coming_date(valid_until)
    if abs(limit_price - found.price) > BAND * found.price:
        message = f"The limit {limit_price} lies more than a tenth off the last price {found.price} {found.currency}."
        raise Refusal(400, "PriceOutOfBand", message, last_price=found.price)
    order_id = identifier("TRD", symbol, side, quantity, limit_price, valid_until)
    orders = world.state("financial.trades")
    if order_id in orders:
        raise Refusal(409, "DuplicateOrder", "This order rests in the book already.", order_id=order_id)
    orders[order_id] = True
    world.effect("place_order", symbol, side=side, quantity=quantity, limit_price=limit_price, valid_until=valid_until)
    value = rounded_amount(quantity * limit_price, found.currency)
    return {
        "order_id": order_id,
        "status": "accepted",
        "symbol": found.symbol,
        "currency": found.currency,
        "order_value": value,
        "commission": rounded_amount(value * COMMISSION, found.currency),
        "placed_on": TODAY,
    }
