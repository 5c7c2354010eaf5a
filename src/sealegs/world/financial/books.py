"""The company's books: bank accounts with their movements, payees, customers, cost centres, and what lies open in them.

Facts only: what an episode changes is kept by the modules of the tools.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sealegs.world.financial.facts import rounded_amount
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

IBAN_LENGTHS = {
    "AE": 23, "AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22,
    "GR": 27, "HU": 28, "IE": 22, "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24,
}  # fmt: skip
"""Characters of an IBAN by country (ISO 13616 registry)."""

IBAN_COUNTRIES = {
    "AE": "United Arab Emirates", "AT": "Austria", "BE": "Belgium", "CH": "Switzerland", "CZ": "Czechia",
    "DE": "Germany", "DK": "Denmark", "ES": "Spain", "FI": "Finland", "FR": "France", "GB": "United Kingdom",
    "GR": "Greece", "HU": "Hungary", "IE": "Ireland", "IT": "Italy", "LU": "Luxembourg", "NL": "Netherlands",
    "NO": "Norway", "PL": "Poland", "PT": "Portugal", "SE": "Sweden",
}  # fmt: skip


def remainder(iban: str) -> int:
    """The ISO 7064 remainder modulo 97 of an IBAN; 1 where its check digits are right."""
    return int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97


def iban(country_code: str, account: str) -> str:
    """The IBAN of a domestic account number, with the check digits of ISO 7064."""
    return f"{country_code}{98 - remainder(f'{country_code}00{account}'):02}{account}"


@dataclass(frozen=True, slots=True)
class Movement:
    """A booked transaction; money that leaves the account is negative."""

    booked_on: str
    text: str
    amount: float


@dataclass(frozen=True, slots=True)
class Account:
    """One of the company's bank accounts as it stands at the world's moment."""

    id: str
    name: str
    purpose: str
    currency: str
    iban: str
    booked: float
    held: float

    @property
    def movements(self) -> tuple[Movement, ...]:
        """The movements that were booked in the last 90 days, the oldest first."""
        return tuple(
            Movement(_days_ago(days), text, rounded_amount(share * self.booked, self.currency))
            for days, text, share in _MOVEMENTS[self.purpose]
        )


def _days_ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


_MOVEMENTS = {
    "operating": (
        (83, "Customer receipts", 0.0871),
        (66, "Office rent", -0.0384),
        (47, "Energy supply", -0.0097),
        (38, "Customer receipts", 0.1126),
        (27, "Office rent", -0.0384),
        (19, "Cloud hosting", -0.0078),
        (12, "Customer receipts", 0.0653),
        (5, "Transfer to payroll", -0.0942),
        (3, "Insurance premium", -0.0061),
    ),
    "payroll": (
        (63, "Transfer from operating", 0.8125),
        (61, "Salaries December", -0.7416),
        (33, "Transfer from operating", 0.8307),
        (31, "Salaries January", -0.7448),
        (14, "Social insurance", -0.1362),
        (5, "Transfer from operating", 0.8552),
        (3, "Salaries February", -0.7521),
    ),
    "tax": (
        (81, "Value added tax, third quarter", -0.3814),
        (45, "Transfer from operating", 0.2275),
        (20, "Wage tax January", -0.0933),
        (10, "Transfer from operating", 0.1842),
    ),
    "travel": (
        (72, "Card settlement", -0.2143),
        (44, "Top-up from operating", 0.5025),
        (41, "Card settlement", -0.1874),
        (16, "Rail season tickets", -0.0618),
        (11, "Card settlement", -0.2291),
        (4, "Top-up from operating", 0.4115),
    ),
    "savings": (
        (88, "Transfer from operating", 0.1048),
        (62, "Interest", 0.0017),
        (31, "Interest", 0.0018),
        (3, "Interest", 0.0016),
    ),
}

_ACCOUNTS = (
    Account("ACC-1001", "Main Operating", "operating", "EUR", iban("DE", "300404000520110043"), 418_265.40, 12_400.00),
    Account("ACC-1002", "Payroll", "payroll", "EUR", iban("DE", "300404000520110117"), 96_318.75, 1_250.00),
    Account("ACC-1003", "Tax Reserve", "tax", "EUR", iban("DE", "300404000520110208"), 141_902.16, 5_310.50),
    Account("ACC-1004", "Staff Travel", "travel", "EUR", iban("DE", "300404000520110356"), 27_540.20, 2_184.60),
    Account("ACC-1005", "Liquidity Reserve", "savings", "EUR", iban("LU", "0194400644750012"), 655_000.00, 15_000.00),
    Account("ACC-1101", "US Operating", "operating", "USD", iban("IE", "HBDL90011712345678"), 287_411.08, 6_720.00),
    Account("ACC-1102", "US Payroll", "payroll", "USD", iban("IE", "HBDL90011712345902"), 74_880.35, 930.00),
    Account("ACC-1103", "US Travel", "travel", "USD", iban("IE", "HBDL90011712346118"), 19_265.90, 1_405.25),
    Account("ACC-1201", "UK Operating", "operating", "GBP", iban("GB", "TSWK40218831926810"), 163_072.66, 4_058.30),
    Account("ACC-1202", "UK Payroll", "payroll", "GBP", iban("GB", "TSWK40218831927755"), 58_413.20, 640.00),
    Account("ACC-1203", "UK Travel", "travel", "GBP", iban("GB", "TSWK40218831928063"), 11_986.45, 873.15),
    Account("ACC-1301", "Swiss Operating", "operating", "CHF", iban("CH", "08704016075473007"), 92_750.85, 3_115.00),
    Account("ACC-1302", "Swiss Savings", "savings", "CHF", iban("CH", "08704016075473218"), 210_500.00, 8_000.00),
    Account(
        "ACC-1401", "Nordic Operating", "operating", "SEK", iban("SE", "50000000058398257466"), 1_308_640.0, 42_300.0
    ),
    Account("ACC-1501", "Japan Operating", "operating", "JPY", iban("NL", "VRHV0417164300"), 14_620_500, 385_000),
    Account("ACC-1601", "Singapore Operating", "operating", "SGD", iban("NL", "VRHV0417169922"), 118_930.55, 2_960.00),
    Account("ACC-1701", "Canada Operating", "operating", "CAD", iban("GB", "TSWK40218831930477"), 76_204.10, 1_818.70),
    Account("ACC-1801", "Iberia Tax", "tax", "EUR", iban("ES", "21000418450200051332"), 33_815.60, 2_290.00),
)
ACCOUNTS = {account.id: account for account in _ACCOUNTS}


def account(id: str) -> Account:
    """The account of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = ACCOUNTS.get(id)
    if found is None:
        raise Refusal(404, "AccountNotFound", f"There is no account {id!r}.", account_id=id)
    return found


def account_for(purpose: str, currency: str) -> Account | None:
    """The first account that the company keeps in this currency for this purpose, if there is one."""
    return next((a for a in _ACCOUNTS if (a.purpose, a.currency) == (purpose, currency)), None)


@dataclass(frozen=True, slots=True)
class Payee:
    """Somebody whom the company pays, with a checked bank account; terms in days."""

    id: str
    name: str
    country_code: str
    currency: str
    iban: str
    terms: int


def _payee(id: str, name: str, country_code: str, currency: str, account: str, terms: int) -> Payee:
    return Payee(id, name, country_code, currency, iban(country_code, account), terms)


_PAYEES = (
    _payee("PYE-2101", "Brightwater Catering", "DE", "EUR", "370501980020471853", 14),
    _payee("PYE-2102", "Harbour Print Works", "GB", "GBP", "LDMB20415783201966", 30),
    _payee("PYE-2103", "Lindqvist Office Supply", "SE", "SEK", "30000000031174920058", 20),
    _payee("PYE-2104", "Alpenblick Facility Services", "CH", "CHF", "00762011623852957", 30),
    _payee("PYE-2105", "Tagus Translation Bureau", "PT", "EUR", "000201231234567890154", 15),
    _payee("PYE-2106", "Moreau Legal Partners", "FR", "EUR", "20041010050500013M02606", 45),
    _payee("PYE-2107", "Oakbridge Staffing", "IE", "EUR", "ARDL93115212345678", 21),
    _payee("PYE-2108", "Van Houten Data Centres", "NL", "EUR", "MSRT0300065264", 30),
    _payee("PYE-2109", "Castellana Event Hall", "ES", "EUR", "91000418450200051899", 10),
    _payee("PYE-2110", "Desert Rose Exhibitions", "AE", "AED", "0331234567890123456", 30),
    _payee("PYE-2111", "Vistula Software House", "PL", "PLN", "109010140000071219812874", 28),
    _payee("PYE-2112", "Fjordlys Electrical", "NO", "NOK", "86011117947", 14),
    _payee("PYE-2113", "Belvedere Furniture Makers", "AT", "EUR", "1904300234573201", 30),
    _payee("PYE-2114", "Trastevere Design Studio", "IT", "EUR", "X0542811101000000123456", 60),
    _payee("PYE-2115", "Kongens Courier", "DK", "DKK", "00400440116243", 8),
    _payee("PYE-2116", "Scheldt Freight Forwarding", "BE", "EUR", "539007547034", 25),
)
PAYEES = {payee.id: payee for payee in _PAYEES}


def payee(id: str) -> Payee:
    """The payee of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = PAYEES.get(id)
    if found is None:
        raise Refusal(404, "PayeeNotFound", f"There is no payee {id!r} in the address book.", payee_id=id)
    return found


def payee_named(name: str) -> Payee:
    """The payee of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = next((p for p in _PAYEES if p.name.casefold() == name.strip().casefold()), None)
    if found is None:
        raise Refusal(404, "PayeeNotFound", f"No payee named {name!r} is in the address book.")
    return found


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody whom the company bills; terms in days."""

    id: str
    name: str
    country_code: str
    terms: int


_CUSTOMERS = (
    Customer("CUS-3101", "Aurelia Hotels", "PT", 30),
    Customer("CUS-3102", "Baltic Timber Trading", "SE", 45),
    Customer("CUS-3103", "Cobalt Bay Shipping", "SG", 30),
    Customer("CUS-3104", "Dorset Dairy Union", "GB", 21),
    Customer("CUS-3105", "Edelweiss Watch Parts", "CH", 20),
    Customer("CUS-3106", "Fontaine Pharmacies", "FR", 60),
    Customer("CUS-3107", "Granada Olive Growers", "ES", 40),
    Customer("CUS-3108", "Hanami Stationery", "JP", 30),
    Customer("CUS-3109", "Isar Machine Tools", "DE", 14),
    Customer("CUS-3110", "Jaipur Textile Mills", "IN", 35),
    Customer("CUS-3111", "Kestrel Aviation Training", "CA", 28),
    Customer("CUS-3112", "Lombardy Ceramics", "IT", 50),
    Customer("CUS-3113", "Marigold Garden Centres", "NL", 15),
    Customer("CUS-3114", "Nordlicht Event Lighting", "AT", 25),
)
CUSTOMERS = {customer.id: customer for customer in _CUSTOMERS}


def customer_named(name: str) -> Customer:
    """The customer of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = next((c for c in _CUSTOMERS if c.name.casefold() == name.strip().casefold()), None)
    if found is None:
        raise Refusal(404, "CustomerNotFound", f"No customer named {name!r} is on file.")
    return found


@dataclass(frozen=True, slots=True)
class CostCentre:
    """A part of the company with a budget for the year, in euro, and what it has spent of it."""

    id: str
    name: str
    budget: float
    spent: float


_COST_CENTRES = (
    CostCentre("CC-110", "Sales", 84_000.00, 11_350.40),
    CostCentre("CC-120", "Marketing", 96_500.00, 18_204.75),
    CostCentre("CC-130", "Customer Support", 31_000.00, 4_812.10),
    CostCentre("CC-210", "Engineering", 142_000.00, 20_996.55),
    CostCentre("CC-220", "Research", 118_400.00, 9_447.90),
    CostCentre("CC-230", "Quality", 27_600.00, 3_108.25),
    CostCentre("CC-310", "Human Resources", 38_200.00, 5_673.80),
    CostCentre("CC-320", "Finance", 24_500.00, 2_891.35),
    CostCentre("CC-330", "Legal", 45_000.00, 7_230.60),
    CostCentre("CC-410", "Facilities", 66_750.00, 12_018.45),
    CostCentre("CC-420", "Logistics", 73_300.00, 13_585.00),
    CostCentre("CC-510", "Executive Office", 52_000.00, 8_164.95),
)
COST_CENTRES = {centre.id: centre for centre in _COST_CENTRES}


def cost_centre(id: str) -> CostCentre:
    """The cost centre of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = COST_CENTRES.get(id)
    if found is None:
        raise Refusal(404, "CostCentreNotFound", f"There is no cost centre {id!r}.", cost_centre=id)
    return found


WAITING_ORDERS = (
    ("ACC-1001", "PYE-2108", 6_480.00, "EUR", "2026-03-02"),
    ("ACC-1101", "PYE-2110", 15_750.00, "AED", "2026-03-06"),
    ("ACC-1201", "PYE-2102", 1_264.80, "GBP", "2026-03-02"),
    ("ACC-1401", "PYE-2103", 38_900.00, "SEK", "2026-03-16"),
)
"""Payment orders that wait for a signature: account, payee, amount, currency, day of execution."""

WAITING_DRAFTS = (
    ("CUS-3109", 4_200.00, "EUR", "DE"),
    ("CUS-3105", 1_875.50, "CHF", "CH"),
    ("CUS-3104", 960.00, "GBP", "GB"),
    ("CUS-3108", 325_000, "JPY", "JP"),
)
"""Invoices that are not sent yet: customer, net amount, currency, country of taxation (at its standard rate)."""

OPEN_REPORTS = (
    ("Clara Voss", "CC-110"),
    ("Tomas Rehak", "CC-210"),
    ("Ines Carvalho", "CC-120"),
    ("Daniel Okoro", "CC-420"),
)
"""Expense reports that still take lines: employee, cost centre."""
