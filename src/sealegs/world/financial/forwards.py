"""Foreign money bought today for a later day.

A deal is struck at a rate of one's own, if it is near the market's, or by taking up a quotation of the bank. Does not
cover options, part deliveries, or closing a deal out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, OneOf, Ordered, Requires
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.facts import exact_amount, rate, rounded_amount
from sealegs.world.financial.forward_rates import banking_day, forward
from sealegs.world.financial.money_arguments import CODED, Day
from sealegs.world.state import NOW, TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

BAND = 0.005
"""Share of the market's forward rate by which an own rate may lie off it."""

MARGIN = 0.05
QUOTE_ENDS = "2026-03-02T09:30:00"

Buying = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="Currency that the company gets, such as USD")]
Selling = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="Currency that the company pays with, such as EUR")]
Bought = Annotated[float, Field(gt=0, le=1e9, description="Amount that the company gets, in buy_currency")]
Rate = Annotated[
    float, Field(gt=0, le=1e6, description="Forward rate: units of sell_currency for one unit of buy_currency")
]
QuoteId = Annotated[
    str,
    Field(
        pattern=r"^FWQ-[A-Z]{6}-\d{8}-\d{1,12}$", description="Id of a forward quotation, FWQ-USDEUR-20260617-2500000"
    ),
]


@dataclass(frozen=True)
class Deal:
    """Foreign money bought for a later day at a rate.

    Raises:
        Refusal: 404 where a currency is not known, 400 where day or amount cannot be.
    """

    buy: str
    sell: str
    amount: float
    value_date: str
    rate: float

    @property
    def sold(self) -> float:
        """The amount of `sell` that is paid for it."""
        return rounded_amount(self.amount * self.rate, self.sell)

    @property
    def quote_id(self) -> str:
        """The id of a quotation for it: it says all that is quoted but the rate, which is the market's."""
        cents = round(self.amount * 100)
        return f"FWQ-{self.buy}{self.sell}-{self.value_date.replace('-', '')}-{cents}"

    @property
    def shown(self) -> dict[str, Any]:
        """The fields that quotation and deal share."""
        return {
            "buy_currency": self.buy,
            "sell_currency": self.sell,
            "buy_amount": self.amount,
            "forward_rate": self.rate,
            "sell_amount": self.sold,
            "value_date": self.value_date,
        }


def _at_market(buy: str, sell: str, amount: float, day: str) -> Deal:
    days = banking_day(day)
    at = forward(buy, sell, days)
    return Deal(buy, sell, exact_amount(amount, buy), day, at)


class Quotation(Answer):
    """The price of foreign money for a later day."""

    buy_currency: str = Field(description="Currency that the company gets")
    sell_currency: str = Field(description="Currency that it pays with")
    buy_amount: float = Field(description="Amount that it gets")
    forward_rate: float = Field(description="Units of sell_currency for one unit of buy_currency")
    sell_amount: float = Field(description="buy_amount x forward_rate, in sell_currency")
    value_date: str = Field(description="Day of delivery")


class ForwardQuote(Quotation):
    """A quotation that can be taken up."""

    quote_id: str = Field(description="Id of the quotation")
    days: int = Field(description="Days until delivery")
    spot_rate: float = Field(description="Middle rate of today")
    quoted_at: str = Field(description="Moment of the quotation, UTC")
    valid_until: str = Field(description="Moment until which it can be taken up, UTC")
    status: Literal["firm", "indicative"] = Field(description="Whether the bank is bound by it")


class BookedForward(Quotation):
    """A forward deal."""

    deal_id: str = Field(description="Id of the deal")
    quote_id: str = Field(description="Id of the quotation that it equals")
    margin: float = Field(description="Security that the bank blocks until delivery, in sell_currency")
    trade_date: str = Field(description="Day of the deal")
    status: Literal["confirmed", "rejected"] = Field(description="Whether the bank took the deal")


_DEAL: tuple[Invariant, ...] = (
    OneOf("buy_currency", CODED.allowed, CODED.wrong),
    OneOf("sell_currency", CODED.allowed, CODED.wrong),
    Bounds("forward_rate", 1e-5, 1e5),
    Bounds("sell_amount", 0, 1e14),
    Formula(
        "sell_amount",
        ("buy_amount", "forward_rate", "sell_currency"),
        lambda amount, rate, currency: rounded_amount(amount * rate, currency),
        "sell_amount is buy_amount x forward_rate",
    ),
)
_STRUCK: tuple[Invariant, ...] = (
    *_DEAL,
    Requires("deal_id", "status", "confirmed"),
    Requires("quote_id", "status", "confirmed"),
    Ordered("trade_date", "value_date"),
    Bounds("margin", 0, 1e13),
    Formula("margin", ("sell_amount",), lambda sold: sold * MARGIN, "margin is 5 per cent of sell_amount"),
)
_REQUESTS = (
    {"buy_currency": "USD", "sell_currency": "EUR", "buy_amount": 25000.0, "value_date": "2026-06-17"},
    {"buy_currency": "JPY", "sell_currency": "GBP", "buy_amount": 3200000, "value_date": "2026-09-01"},
    {"buy_currency": "CHF", "sell_currency": "USD", "buy_amount": 8750.5, "value_date": "2026-04-08"},
    {"buy_currency": "SEK", "sell_currency": "EUR", "buy_amount": 410000, "value_date": "2027-01-15"},
)


@simulated_tool(
    category="source",
    answer=ForwardQuote,
    examples=_REQUESTS,
    refusals=(
        ({**_REQUESTS[0], "sell_currency": "ISK"}, 404),
        ({**_REQUESTS[0], "sell_currency": "USD"}, 400),
        ({**_REQUESTS[0], "value_date": "2026-03-03"}, 400),
    ),
    echoes=tuple(_REQUESTS[0]),
    invariants=(
        *_DEAL,
        Requires("quote_id", "status", "firm"),
        Ordered("quoted_at", "valid_until"),
        Ordered("quoted_at", "value_date"),
        Bounds("days", 3, 366),
        Bounds("spot_rate", 1e-5, 1e5),
    ),
)
def request_forward_quote(
    world: World, buy_currency: Buying, sell_currency: Selling, buy_amount: Bought, value_date: Day
) -> dict[str, Any]:
    """Have the bank quote a price for foreign money to be delivered on a later day; gives a quote id to take it up."""
    deal = _at_market(buy_currency, sell_currency, buy_amount, value_date)
    return {
        **deal.shown,
        "quote_id": deal.quote_id,
        "days": banking_day(value_date),
        "spot_rate": rate(buy_currency, sell_currency),
        "quoted_at": NOW,
        "valid_until": QUOTE_ENDS,
        "status": "firm",
    }


def _strike(world: World, deal: Deal) -> dict[str, Any]:
    deals, deal_id = world.state("financial.forwards"), identifier("FXF", deal.quote_id)
    if deal_id in deals:
        raise Refusal(409, "DuplicateDeal", "This forward was dealt already.", deal_id=deal_id)
    deals[deal_id] = True
    world.effect(
        "buy_forward",
        f"{deal.buy}/{deal.sell}",
        buy_amount=deal.amount,
        sell_amount=deal.sold,
        value_date=deal.value_date,
    )
    return {
        **deal.shown,
        "deal_id": deal_id,
        "quote_id": deal.quote_id,
        "margin": rounded_amount(deal.sold * MARGIN, deal.sell),
        "trade_date": TODAY,
        "status": "confirmed",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="trading_history",
    answer=BookedForward,
    examples=tuple(
        {**request, "forward_rate": at}
        for request, at in zip(_REQUESTS, (0.8443, 0.00479, 1.2973, 0.0939), strict=True)
    ),
    refusals=(
        ({**_REQUESTS[0], "forward_rate": 0.79}, 400),
        ({**_REQUESTS[0], "sell_currency": "ISK", "forward_rate": 0.84}, 404),
        ({**_REQUESTS[0], "forward_rate": 0}, 422),
    ),
    echoes=(*_REQUESTS[0], "forward_rate"),
    invariants=_STRUCK,
)
def book_forward(
    world: World,
    buy_currency: Buying,
    sell_currency: Selling,
    buy_amount: Bought,
    forward_rate: Rate,
    value_date: Day,
) -> dict[str, Any]:
    """Buy foreign money for delivery on a later day at a forward rate that you name, as near as 0.5 % to the market."""
    market = _at_market(buy_currency, sell_currency, buy_amount, value_date)
    if abs(forward_rate - market.rate) > BAND * market.rate:
        message = f"The rate {forward_rate} lies more than 0.5 per cent off the market's."
        raise Refusal(400, "RateOffMarket", message, market_rate=market.rate)
    return _strike(world, Deal(market.buy, market.sell, market.amount, value_date, forward_rate))


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="trading_history",
    answer=BookedForward,
    examples=tuple(
        {"quote_id": _at_market(*request).quote_id}
        for request in (
            ("USD", "EUR", 40000.0, "2026-05-20"),
            ("GBP", "CHF", 12500.0, "2026-07-31"),
            ("PLN", "EUR", 86400.5, "2026-10-12"),
            ("EUR", "JPY", 9000.0, "2026-04-15"),
        )
    ),
    refusals=(
        ({"quote_id": "FWQ-EURISK-20260617-2500000"}, 404),
        ({"quote_id": "FWQ-USDEUR-20260231-2500000"}, 400),
        ({"quote_id": "the first"}, 422),
    ),
    echoes=("quote_id",),
    invariants=_STRUCK,
)
def accept_forward_quote(world: World, quote_id: QuoteId) -> dict[str, Any]:
    """Take up the bank's quotation for a currency forward, by its quote id, so that the deal is done."""
    matched = re.match(r"FWQ-(...)(...)-(\d{4})(\d\d)(\d\d)-(\d+)$", quote_id)
    assert matched is not None, quote_id
    buy, sell, year, month, day, cents = matched.groups()
    return _strike(world, _at_market(buy, sell, int(cents) / 100, f"{year}-{month}-{day}"))
