"""Money over time: an amount that grows at a yearly rate, and payments of later years valued today.

Growth is credited monthly at a twelfth of the nominal yearly rate: A (1 + r/12)^n. A payment at the end of year k is
worth C / (1 + r)^k today. Values of single years are rounded first and then added up, so that a table and a summary
agree to the cent. Does not cover taxes, fees, or payments within a year.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Ordered, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.facts import exact_amount, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Amount, Code
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

Rate = Annotated[float, Field(ge=0.01, le=40, description="Growth or interest per year in per cent, such as 3.5")]
Months = Annotated[int, Field(ge=1, le=480, description="Number of months")]
Outlay = Annotated[float, Field(gt=0, le=1e9, description="What is paid today, in units of its currency")]
Flows = Annotated[
    list[Annotated[float, Field(ge=-1e9, le=1e9)]],
    Field(min_length=1, max_length=40, description="What comes in at the end of each year, the first year first"),
]
Discount = Annotated[float, Field(ge=0, le=50, description="Required return per year in per cent, such as 8")]


def grown_amount(amount: float, rate: float, months: int, currency: str) -> float:
    """The amount after growth over so many months at a nominal yearly rate in per cent, rounded."""
    return rounded_amount(amount * (1 + rate / 1200) ** months, currency)


def worth(flows: list[float], rate: float, currency: str) -> list[float]:
    """The present value of the payment at the end of each year, each rounded."""
    return [rounded_amount(flow / (1 + rate / 100) ** year, currency) for year, flow in enumerate(flows, 1)]


class Growth(Answer):
    """An amount after some time."""

    amount: float = Field(description="Amount at the beginning")
    currency: str = Field(description="Currency of every amount")
    annual_rate: float = Field(description="Nominal growth per year in per cent")
    months: int = Field(description="Number of months")
    final_amount: float = Field(description="Amount at the end")
    gain: float = Field(description="final_amount less amount")


class Grown(Growth):
    """An amount after some time, in short."""

    effective_annual_rate: float = Field(
        description="Growth over twelve months in per cent, monthly compounding counted"
    )


class GrowthYear(Answer):
    """A year of growth; the last may be shorter."""

    year: int = Field(description="Year, from 1")
    gain: float = Field(description="What the year adds")
    closing_amount: float = Field(description="Amount at its end")


class GrowthPlan(Growth):
    """An amount after some time, year by year."""

    starts_on: str = Field(description="First day")
    ends_on: str = Field(description="Day on which the last month ends")
    year_count: int = Field(description="How many years are listed")
    years: list[GrowthYear] = Field(description="The years")


_GROWTH_EXAMPLES = (
    {"amount": 12000.0, "annual_rate": 2.4, "months": 36, "currency": "EUR"},
    {"amount": 655000, "annual_rate": 1.9, "months": 18, "currency": "GBP"},
    {"amount": 84.36, "annual_rate": 6.0, "months": 24, "currency": "USD"},
    {"amount": 2500000, "annual_rate": 0.8, "months": 60, "currency": "JPY"},
)
_GROWTH_REFUSALS = (
    ({"amount": 12000, "annual_rate": 2.4, "months": 36, "currency": "XAU"}, 404),
    ({"amount": 12000, "annual_rate": 2.4, "months": 0, "currency": "EUR"}, 422),
)
_GROWTH: tuple[Invariant, ...] = (
    CODED,
    Sums("final_amount", ("amount", "gain")),
    Bounds("final_amount", 0, 1e17),
    Bounds("gain", 0, 1e17),
    Formula(
        "final_amount",
        ("amount", "annual_rate", "months", "currency"),
        grown_amount,
        "final_amount is amount compounded monthly at annual_rate",
    ),
)


def _growth(amount: float, rate: float, months: int, currency: str) -> dict[str, Any]:
    whole = exact_amount(amount, currency)
    final = grown_amount(whole, rate, months, currency)
    return {
        "amount": whole,
        "currency": currency,
        "annual_rate": rate,
        "months": months,
        "final_amount": final,
        "gain": rounded_amount(final - whole, currency),
    }


@simulated_tool(
    category="processor",
    answer=Grown,
    examples=_GROWTH_EXAMPLES,
    refusals=_GROWTH_REFUSALS,
    echoes=("amount", "annual_rate", "months", "currency"),
    invariants=(
        *_GROWTH,
        Formula(
            "effective_annual_rate",
            ("annual_rate",),
            lambda rate: 100 * ((1 + rate / 1200) ** 12 - 1),
            "effective_annual_rate is annual_rate compounded monthly",
        ),
    ),
)
def compound_growth(world: World, amount: Amount, annual_rate: Rate, months: Months, currency: Code) -> dict[str, Any]:
    """Calculate what an amount grows to in some months at a yearly rate with monthly compounding, and its gain."""
    effective = 100 * ((1 + annual_rate / 1200) ** 12 - 1)
    return {**_growth(amount, annual_rate, months, currency), "effective_annual_rate": round(effective, 4)}


@simulated_tool(
    category="processor",
    answer=GrowthPlan,
    examples=_GROWTH_EXAMPLES,
    refusals=_GROWTH_REFUSALS,
    echoes=("amount", "annual_rate", "months", "currency"),
    invariants=(
        *_GROWTH,
        Sums("gain", ("years.gain",)),
        Counts("year_count", "years"),
        Ordered("starts_on", "ends_on"),
    ),
)
def growth_schedule(world: World, amount: Amount, annual_rate: Rate, months: Months, currency: Code) -> dict[str, Any]:
    """List year by year, up to a number of months ahead, how savings or another amount grow at a yearly rate."""
    shown = _growth(amount, annual_rate, months, currency)
    ends = [*range(12, months, 12), months]
    closings = [shown["amount"], *(grown_amount(shown["amount"], annual_rate, end, currency) for end in ends)]
    years = [
        {"year": year, "gain": rounded_amount(closing - closings[year - 1], currency), "closing_amount": closing}
        for year, closing in enumerate(closings[1:], 1)
    ]
    last = date.fromisoformat(TODAY)
    over, month = divmod(last.month - 1 + months, 12)
    ends_on = last.replace(year=last.year + over, month=month + 1).isoformat()
    return {**shown, "starts_on": TODAY, "ends_on": ends_on, "year_count": len(years), "years": years}


class ValuedInvestment(Answer):
    """An investment valued today."""

    initial_outlay: float = Field(description="What is paid today")
    currency: str = Field(description="Currency of every amount")
    discount_rate: float = Field(description="Required return per year in per cent")
    years: int = Field(description="How many years bring payments")
    present_value: float = Field(description="What the later payments are worth today")
    net_present_value: float = Field(description="present_value less initial_outlay")


class Summary(ValuedInvestment):
    """An investment valued today, in short."""

    undiscounted_total: float = Field(description="Sum of the later payments as they come in")
    profitability_index: float = Field(description="present_value for one unit of initial_outlay")


class FlowYear(Answer):
    """A year of an investment."""

    year: int = Field(description="Year, from 1")
    cash_flow: float = Field(description="What comes in at its end")
    discount_factor: float = Field(description="What one unit paid at its end is worth today")
    present_value: float = Field(description="What cash_flow is worth today")
    cumulative_value: float = Field(description="Present values up to its end, less the initial outlay")


class CashFlowTable(ValuedInvestment):
    """An investment valued today, year by year."""

    payback_year: int | None = Field(description="First year by whose end the outlay is earned back, if there is one")
    flows: list[FlowYear] = Field(description="The years")


_VALUE_EXAMPLES = (
    {"initial_outlay": 50000.0, "cash_flows": [14000, 16000, 18000, 20000], "discount_rate": 8, "currency": "EUR"},
    {"initial_outlay": 7200, "cash_flows": [2600.5, 2600.5, 2600.5], "discount_rate": 5.5, "currency": "GBP"},
    {"initial_outlay": 120000, "cash_flows": [0, 30000, 60000, 75000, 20000], "discount_rate": 11, "currency": "USD"},
    {"initial_outlay": 900000, "cash_flows": [400000, 350000, 300000], "discount_rate": 2.5, "currency": "JPY"},
)
_VALUE_REFUSALS = (
    ({"initial_outlay": 100, "cash_flows": [60, 60], "discount_rate": 5, "currency": "XAU"}, 404),
    ({"initial_outlay": 100, "cash_flows": [], "discount_rate": 5, "currency": "EUR"}, 422),
    ({"initial_outlay": 100, "cash_flows": [60, 60], "discount_rate": -5, "currency": "EUR"}, 422),
)
_VALUE: tuple[Invariant, ...] = (
    CODED,
    Sums("present_value", ("initial_outlay", "net_present_value")),
    Counts("years", "argument:cash_flows"),
    Bounds("net_present_value", -1e12, 1e12),
    Bounds("present_value", -1e12, 1e12),
    Formula(
        "net_present_value",
        ("argument:cash_flows", "discount_rate", "currency", "initial_outlay"),
        lambda flows, rate, currency, outlay: sum(worth(flows, rate, currency)) - outlay,
        "net_present_value is that of the cash flows less initial_outlay",
    ),
)


def _valued(outlay: float, flows: list[float], rate: float, currency: str) -> dict[str, Any]:
    whole = exact_amount(outlay, currency)
    present = rounded_amount(sum(worth(flows, rate, currency)), currency)
    return {
        "initial_outlay": whole,
        "currency": currency,
        "discount_rate": rate,
        "years": len(flows),
        "present_value": present,
        "net_present_value": rounded_amount(present - whole, currency),
    }


@simulated_tool(
    category="processor",
    answer=Summary,
    examples=_VALUE_EXAMPLES,
    refusals=_VALUE_REFUSALS,
    echoes=("initial_outlay", "discount_rate", "currency"),
    invariants=(
        *_VALUE,
        Sums("undiscounted_total", ("argument:cash_flows",)),
        Formula(
            "profitability_index",
            ("present_value", "initial_outlay"),
            lambda present, outlay: present / outlay,
            "profitability_index is present_value / initial_outlay",
        ),
    ),
)
def net_present_value(
    world: World, initial_outlay: Outlay, cash_flows: Flows, discount_rate: Discount, currency: Code
) -> dict[str, Any]:
    """Value an investment: net present value and profitability index of an outlay today and yearly returns later."""
    shown = _valued(initial_outlay, cash_flows, discount_rate, currency)
    return {
        **shown,
        "undiscounted_total": round(sum(cash_flows), 2),
        "profitability_index": round(shown["present_value"] / shown["initial_outlay"], 4),
    }


def _payback(rows: list[dict[str, Any]]) -> int | None:
    return next((int(row["year"]) for row in rows if row["cumulative_value"] >= 0), None)


@simulated_tool(
    category="processor",
    answer=CashFlowTable,
    examples=_VALUE_EXAMPLES,
    refusals=_VALUE_REFUSALS,
    echoes=("initial_outlay", "discount_rate", "currency"),
    invariants=(
        *_VALUE,
        Sums("present_value", ("flows.present_value",)),
        Counts("years", "flows"),
        Formula(
            "net_present_value",
            ("flows",),
            lambda rows: rows[-1]["cumulative_value"],
            "net_present_value is the cumulative value at the end",
        ),
        Formula(
            "payback_year",
            ("flows",),
            _payback,
            "payback_year is the first with a cumulative value of at least nought",
        ),
    ),
)
def discounted_cash_flow_table(
    world: World, initial_outlay: Outlay, cash_flows: Flows, discount_rate: Discount, currency: Code
) -> dict[str, Any]:
    """Discount an investment's yearly returns one by one in a table, with running balance and payback year."""
    shown = _valued(initial_outlay, cash_flows, discount_rate, currency)
    rows: list[dict[str, Any]] = []
    balance = -shown["initial_outlay"]
    for year, (flow, value) in enumerate(zip(cash_flows, worth(cash_flows, discount_rate, currency), strict=True), 1):
        balance = rounded_amount(balance + value, currency)
        factor = round((1 + discount_rate / 100) ** -year, 6)
        rows.append(
            {
                "year": year,
                "cash_flow": flow,
                "discount_factor": factor,
                "present_value": value,
                "cumulative_value": balance,
            }
        )
    return {**shown, "payback_year": _payback(rows), "flows": rows}
