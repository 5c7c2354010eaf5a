"""Alternative groups of the financial domain."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = [
    "ACCOUNT_FUNDS",
    "BALANCE_IN_CURRENCY",
    "CURRENCY_CONVERSION",
    "CUSTOMER_INVOICE",
    "EXPENSE_CLAIM",
    "LOAN_COST",
    "PRICE_IN_CURRENCY",
    "SECURITY_PRICE",
    "SUPPLIER_PAYMENT",
]

CURRENCY_CONVERSION = Pattern(
    name="currency_conversion",
    purpose="What an amount of money is in another currency at the current middle rate.",
    inputs=("amount", "from_currency", "to_currency"),
    exports=("converted_amount", "rate"),
    ways=(
        Way(
            "direct",
            {
                "convert_currency": {
                    "amount": "in.amount",
                    "from_currency": "in.from_currency",
                    "to_currency": "in.to_currency",
                }
            },
            {"converted_amount": "convert_currency.converted_amount", "rate": "convert_currency.rate"},
        ),
        Way(
            "by_rate",
            {
                "exchange_rate": {"base": "in.from_currency", "quote": "in.to_currency"},
                "amount_at_rate": {
                    "amount": "in.amount",
                    "exchange_rate": "exchange_rate.rate",
                    "to_currency": "in.to_currency",
                },
            },
            {"converted_amount": "amount_at_rate.converted_amount", "rate": "exchange_rate.rate"},
        ),
    ),
    examples=(
        {"amount": 420.0, "from_currency": "EUR", "to_currency": "USD"},
        {"amount": 89.99, "from_currency": "GBP", "to_currency": "EUR"},
        {"amount": 48500, "from_currency": "JPY", "to_currency": "CHF"},
        {"amount": 1275.4, "from_currency": "USD", "to_currency": "KRW"},
        {"amount": 310, "from_currency": "EUR", "to_currency": "EUR"},
    ),
)

ACCOUNT_FUNDS = Pattern(
    name="account_funds",
    purpose="What is booked on a bank account of the company now, and in which currency.",
    inputs=("account_id",),
    exports=("balance", "currency"),
    ways=(
        Way(
            "balance",
            {"account_balance": {"account_id": "in.account_id"}},
            {"balance": "account_balance.booked_balance", "currency": "account_balance.currency"},
        ),
        Way(
            "statement",
            {"account_statement": {"account_id": "in.account_id"}},
            {"balance": "account_statement.closing_balance", "currency": "account_statement.currency"},
        ),
    ),
    examples=(
        {"account_id": "ACC-1001"},
        {"account_id": "ACC-1102"},
        {"account_id": "ACC-1203"},
        {"account_id": "ACC-1401"},
        {"account_id": "ACC-1501"},
    ),
)

_LOAN = {"principal": "in.principal", "annual_rate": "in.annual_rate", "months": "in.months", "currency": "in.currency"}

LOAN_COST = Pattern(
    name="loan_cost",
    purpose="What a loan with equal monthly instalments costs: the instalment, all interest, and all that is repaid.",
    inputs=("principal", "annual_rate", "months", "currency"),
    exports=("monthly_payment", "total_interest", "total_repaid"),
    ways=(
        Way(
            "summary",
            {"loan_payment": _LOAN},
            {name: f"loan_payment.{name}" for name in ("monthly_payment", "total_interest", "total_repaid")},
        ),
        Way(
            "schedule",
            {"amortisation_schedule": _LOAN},
            {name: f"amortisation_schedule.{name}" for name in ("monthly_payment", "total_interest", "total_repaid")},
        ),
    ),
    examples=(
        {"principal": 18500.0, "annual_rate": 5.2, "months": 36, "currency": "EUR"},
        {"principal": 245000, "annual_rate": 3.75, "months": 300, "currency": "GBP"},
        {"principal": 6400.75, "annual_rate": 8.9, "months": 14, "currency": "USD"},
        {"principal": 1800000, "annual_rate": 2.1, "months": 84, "currency": "JPY"},
    ),
)

SECURITY_PRICE = Pattern(
    name="security_price",
    purpose="What a listed share or fund last cost, and in which currency.",
    inputs=("symbol",),
    exports=("price", "currency", "traded_on"),
    ways=(
        Way(
            "quote",
            {"security_quote": {"symbol": "in.symbol"}},
            {
                "price": "security_quote.last_price",
                "currency": "security_quote.currency",
                "traded_on": "security_quote.last_traded_on",
            },
        ),
        Way(
            "history",
            {"price_history": {"symbol": "in.symbol"}},
            {
                "price": "price_history.latest_close",
                "currency": "price_history.currency",
                "traded_on": "price_history.period_end",
            },
        ),
    ),
    examples=({"symbol": "NVLK"}, {"symbol": "TARN"}, {"symbol": "SKUR"}, {"symbol": "OAKF"}, {"symbol": "GLBE"}),
)

EXPENSE_CLAIM = Pattern(
    name="expense_claim",
    purpose="Claim an employee's expense on a cost centre, so that it is paid back in euro.",
    inputs=("employee", "cost_centre", "category", "amount", "currency"),
    exports=("claim_id", "reimbursable_amount", "reimbursed_on", "budget_remaining"),
    ways=(
        Way(
            "at_once",
            {
                "submit_expense_claim": {
                    "employee": "in.employee",
                    "cost_centre": "in.cost_centre",
                    "category": "in.category",
                    "amount": "in.amount",
                    "currency": "in.currency",
                }
            },
            {
                name: f"submit_expense_claim.{name}"
                for name in ("claim_id", "reimbursable_amount", "reimbursed_on", "budget_remaining")
            },
        ),
        Way(
            "by_report",
            {
                "open_expense_report": {"employee": "in.employee", "cost_centre": "in.cost_centre"},
                "add_expense_line": {
                    "report_id": "open_expense_report.report_id",
                    "category": "in.category",
                    "amount": "in.amount",
                    "currency": "in.currency",
                },
            },
            {
                name: f"add_expense_line.{name}"
                for name in ("claim_id", "reimbursable_amount", "reimbursed_on", "budget_remaining")
            },
        ),
    ),
    examples=tuple(
        dict(zip(("employee", "cost_centre", "category", "amount", "currency"), row, strict=True))
        for row in (
            ("Priya Raman", "CC-110", "lodging", 684.0, "USD"),
            ("Jonas Weber", "CC-210", "travel", 312.45, "EUR"),
            ("Mei Tanaka", "CC-220", "meals", 14600, "JPY"),
            ("Sofia Almeida", "CC-420", "supplies", 1290.0, "SEK"),
            ("Clara Voss", "CC-110", "entertainment", 158.2, "GBP"),
        )
    ),
)

SUPPLIER_PAYMENT = Pattern(
    name="supplier_payment",
    purpose="Pay a supplier of the address book an amount from a bank account of the company today.",
    inputs=("account_id", "payee_name", "amount", "currency"),
    exports=("payment_id", "total_debit", "remaining_balance", "value_date"),
    ways=(
        Way(
            "look_up_and_send",
            {
                "find_payee": {"name": "in.payee_name"},
                "send_payment": {
                    "account_id": "in.account_id",
                    "payee_id": "find_payee.payee_id",
                    "amount": "in.amount",
                    "currency": "in.currency",
                },
            },
            {name: f"send_payment.{name}" for name in ("payment_id", "total_debit", "remaining_balance", "value_date")},
        ),
        Way(
            "prepare_and_sign",
            {
                "prepare_payment_order": {
                    "account_id": "in.account_id",
                    "payee_name": "in.payee_name",
                    "amount": "in.amount",
                    "currency": "in.currency",
                },
                "authorise_payment_order": {"order_id": "prepare_payment_order.order_id"},
            },
            {
                name: f"authorise_payment_order.{name}"
                for name in ("payment_id", "total_debit", "remaining_balance", "value_date")
            },
        ),
    ),
    examples=tuple(
        dict(zip(("account_id", "payee_name", "amount", "currency"), row, strict=True))
        for row in (
            ("ACC-1001", "Castellana Event Hall", 3650.0, "EUR"),
            ("ACC-1101", "Desert Rose Exhibitions", 21500, "AED"),
            ("ACC-1201", "Harbour Print Works", 418.6, "GBP"),
            ("ACC-1501", "Kongens Courier", 2980.5, "DKK"),
            ("ACC-1001", "Van Houten Data Centres", 6480.0, "EUR"),
        )
    ),
)

CUSTOMER_INVOICE = Pattern(
    name="customer_invoice",
    purpose="Bill a customer a net amount with the standard value added tax of a country.",
    inputs=("customer_name", "net_amount", "currency", "country_code"),
    exports=("invoice_id", "total_amount", "vat_amount", "due_on", "collection_account_id"),
    ways=(
        Way(
            "tax_and_issue",
            {
                "vat_breakdown": {
                    "net_amount": "in.net_amount",
                    "currency": "in.currency",
                    "country_code": "in.country_code",
                },
                "issue_invoice": {
                    "customer_name": "in.customer_name",
                    "net_amount": "in.net_amount",
                    "vat_amount": "vat_breakdown.vat_amount",
                    "currency": "in.currency",
                },
            },
            {
                name: f"issue_invoice.{name}"
                for name in ("invoice_id", "total_amount", "vat_amount", "due_on", "collection_account_id")
            },
        ),
        Way(
            "draft_and_finalise",
            {
                "draft_invoice": {
                    "customer_name": "in.customer_name",
                    "net_amount": "in.net_amount",
                    "currency": "in.currency",
                    "tax_country": "in.country_code",
                },
                "finalise_invoice": {"draft_id": "draft_invoice.draft_id"},
            },
            {
                name: f"finalise_invoice.{name}"
                for name in ("invoice_id", "total_amount", "vat_amount", "due_on", "collection_account_id")
            },
        ),
    ),
    examples=tuple(
        dict(zip(("customer_name", "net_amount", "currency", "country_code"), row, strict=True))
        for row in (
            ("Fontaine Pharmacies", 2140.0, "EUR", "FR"),
            ("Baltic Timber Trading", 18650.5, "SEK", "SE"),
            ("Cobalt Bay Shipping", 7300, "SGD", "SG"),
            ("Hanami Stationery", 325000, "JPY", "JP"),
            ("Kestrel Aviation Training", 999.99, "USD", "CA"),
        )
    ),
)

BALANCE_IN_CURRENCY = Pattern(
    name="balance_in_currency",
    purpose="What is booked on a bank account of the company, expressed in another currency.",
    inputs=("account_id", "currency"),
    exports=("balance", "converted_balance"),
    ways=(
        Way(
            "balance_and_convert",
            {
                "account_balance": {"account_id": "in.account_id"},
                "convert_currency": {
                    "amount": "account_balance.booked_balance",
                    "from_currency": "account_balance.currency",
                    "to_currency": "in.currency",
                },
            },
            {"balance": "account_balance.booked_balance", "converted_balance": "convert_currency.converted_amount"},
        ),
        Way(
            "statement_and_rate",
            {
                "account_statement": {"account_id": "in.account_id"},
                "exchange_rate": {"base": "account_statement.currency", "quote": "in.currency"},
                "amount_at_rate": {
                    "amount": "account_statement.closing_balance",
                    "exchange_rate": "exchange_rate.rate",
                    "to_currency": "in.currency",
                },
            },
            {"balance": "account_statement.closing_balance", "converted_balance": "amount_at_rate.converted_amount"},
        ),
    ),
    examples=(
        {"account_id": "ACC-1101", "currency": "EUR"},
        {"account_id": "ACC-1201", "currency": "USD"},
        {"account_id": "ACC-1302", "currency": "EUR"},
        {"account_id": "ACC-1501", "currency": "GBP"},
        {"account_id": "ACC-1001", "currency": "JPY"},
    ),
)

PRICE_IN_CURRENCY = Pattern(
    name="price_in_currency",
    purpose="What a listed share or fund last cost, expressed in another currency.",
    inputs=("symbol", "currency"),
    exports=("price", "converted_price"),
    ways=(
        Way(
            "quote_and_convert",
            {
                "security_quote": {"symbol": "in.symbol"},
                "convert_currency": {
                    "amount": "security_quote.last_price",
                    "from_currency": "security_quote.currency",
                    "to_currency": "in.currency",
                },
            },
            {"price": "security_quote.last_price", "converted_price": "convert_currency.converted_amount"},
        ),
        Way(
            "history_and_rate",
            {
                "price_history": {"symbol": "in.symbol"},
                "exchange_rate": {"base": "price_history.currency", "quote": "in.currency"},
                "amount_at_rate": {
                    "amount": "price_history.latest_close",
                    "exchange_rate": "exchange_rate.rate",
                    "to_currency": "in.currency",
                },
            },
            {"price": "price_history.latest_close", "converted_price": "amount_at_rate.converted_amount"},
        ),
    ),
    examples=(
        {"symbol": "LUMQ", "currency": "EUR"},
        {"symbol": "SKUR", "currency": "USD"},
        {"symbol": "ZLBG", "currency": "GBP"},
        {"symbol": "WNDG", "currency": "EUR"},
    ),
)
