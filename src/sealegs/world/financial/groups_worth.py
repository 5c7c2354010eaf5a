"""Alternative groups of the financial domain: money over time, and wages."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.financial.wiring import given, rows, told

__all__ = ["ACCOUNT_GROWTH", "AMOUNT_GROWTH", "NET_WAGE", "PROJECT_VALUE", "SECURITY_GROWTH"]

_GROWTH = ("amount", "annual_rate", "months", "currency")
_GROWN = {"annual_rate": "in.annual_rate", "months": "in.months"}

AMOUNT_GROWTH = Pattern(
    name="amount_growth",
    purpose="What an amount of money grows to in some months at a yearly rate, compounded monthly.",
    inputs=_GROWTH,
    exports=("final_amount", "gain"),
    ways=(
        Way("summary", {"compound_growth": given(*_GROWTH)}, told("compound_growth", "final_amount", "gain")),
        Way("schedule", {"growth_schedule": given(*_GROWTH)}, told("growth_schedule", "final_amount", "gain")),
    ),
    examples=rows(
        _GROWTH,
        (15000.0, 3.1, 24, "EUR"),
        (880.4, 5.25, 7, "USD"),
        (410000, 1.2, 120, "SEK"),
        (1250000, 0.6, 30, "JPY"),
    ),
)

ACCOUNT_GROWTH = Pattern(
    name="account_growth",
    purpose="What the booked balance of a bank account would grow to in some months at a yearly rate.",
    inputs=("account_id", "annual_rate", "months"),
    exports=("balance", "final_amount", "gain", "currency"),
    ways=(
        Way(
            "balance_and_growth",
            {
                "account_balance": given("account_id"),
                "compound_growth": {
                    "amount": "account_balance.booked_balance",
                    "currency": "account_balance.currency",
                    **_GROWN,
                },
            },
            told("account_balance", "currency", balance="booked_balance")
            | told("compound_growth", "final_amount", "gain"),
        ),
        Way(
            "statement_and_schedule",
            {
                "account_statement": given("account_id"),
                "growth_schedule": {
                    "amount": "account_statement.closing_balance",
                    "currency": "account_statement.currency",
                    **_GROWN,
                },
            },
            told("account_statement", "currency", balance="closing_balance")
            | told("growth_schedule", "final_amount", "gain"),
        ),
    ),
    examples=rows(
        ("account_id", "annual_rate", "months"),
        ("ACC-1005", 2.1, 12),
        ("ACC-1302", 0.75, 36),
        ("ACC-1101", 4.0, 6),
        ("ACC-1501", 0.5, 24),
    ),
)

SECURITY_GROWTH = Pattern(
    name="security_growth",
    purpose="What a share or fund would cost after some months if its last price grew at a yearly rate.",
    inputs=("symbol", "annual_rate", "months"),
    exports=("price", "final_amount", "gain", "currency"),
    ways=(
        Way(
            "quote_and_growth",
            {
                "security_quote": given("symbol"),
                "compound_growth": {
                    "amount": "security_quote.last_price",
                    "currency": "security_quote.currency",
                    **_GROWN,
                },
            },
            told("security_quote", "currency", price="last_price") | told("compound_growth", "final_amount", "gain"),
        ),
        Way(
            "history_and_schedule",
            {
                "price_history": given("symbol"),
                "growth_schedule": {
                    "amount": "price_history.latest_close",
                    "currency": "price_history.currency",
                    **_GROWN,
                },
            },
            told("price_history", "currency", price="latest_close") | told("growth_schedule", "final_amount", "gain"),
        ),
    ),
    examples=rows(
        ("symbol", "annual_rate", "months"),
        ("NVLK", 6.0, 36),
        ("LUMQ", 11.5, 18),
        ("SKUR", 4.2, 60),
        ("EUBD", 2.5, 9),
    ),
)

_PROJECT = ("initial_outlay", "cash_flows", "discount_rate", "currency")

PROJECT_VALUE = Pattern(
    name="project_value",
    purpose="What an investment is worth today: present value of its yearly returns, and what exceeds the outlay.",
    inputs=_PROJECT,
    exports=("present_value", "net_present_value"),
    ways=(
        Way(
            "summary",
            {"net_present_value": given(*_PROJECT)},
            told("net_present_value", "present_value", "net_present_value"),
        ),
        Way(
            "table",
            {"discounted_cash_flow_table": given(*_PROJECT)},
            told("discounted_cash_flow_table", "present_value", "net_present_value"),
        ),
    ),
    examples=rows(
        _PROJECT,
        (42000.0, [12500, 15000, 15000, 11000], 7.5, "EUR"),
        (9800, [3100.25, 3400.75, 4200.5], 6, "CHF"),
        (250000, [-20000, 90000, 130000, 140000], 9, "USD"),
        (3200000, [1400000, 1300000, 900000], 3, "JPY"),
    ),
)

NET_WAGE = Pattern(
    name="net_wage",
    purpose="What is kept back of a month's gross wage in a country, and what the employee gets.",
    inputs=("gross_salary", "country_code"),
    exports=("net_pay", "total_deductions", "wage_tax"),
    ways=(
        Way(
            "payslip",
            {"payroll_slip": given("gross_salary", "country_code")},
            told("payroll_slip", "net_pay", "total_deductions", "wage_tax"),
        ),
        Way(
            "deductions_first",
            {
                "wage_deductions": given("gross_salary", "country_code"),
                "take_home_pay": {
                    "gross_salary": "in.gross_salary",
                    "wage_tax": "wage_deductions.wage_tax",
                    "social_contribution": "wage_deductions.social_contribution",
                    "currency": "wage_deductions.currency",
                },
            },
            told("take_home_pay", "net_pay", "total_deductions", "wage_tax"),
        ),
    ),
    examples=rows(
        ("gross_salary", "country_code"),
        (4875.0, "DE"),
        (3960.5, "GB"),
        (468000, "JP"),
        (41200, "SE"),
        (6900, "CH"),
    ),
)
