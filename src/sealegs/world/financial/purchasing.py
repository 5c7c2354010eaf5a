"""Orders to suppliers, charged to a cost centre: placed at once, or asked for by a requisition and then approved.

An order is known by supplier, cost centre, goods, quantity and price, so that it cannot be placed twice. What it costs
is committed, in euro, out of the cost centre's budget. Receipt and invoice of the goods are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, OneOf, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial import allotments
from sealegs.world.financial.books import CostCentre, Payee, payee, payee_named
from sealegs.world.financial.books import cost_centre as known_centre
from sealegs.world.financial.facts import HOME, exact_amount, rate, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Code, PartyName
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

LEAD_DAYS = {
    "catering": 4,
    "courier service": 2,
    "design work": 21,
    "electrical work": 14,
    "event space": 30,
    "furniture": 35,
    "hosting": 7,
    "legal advice": 10,
    "office supplies": 5,
    "printing": 9,
    "temporary staff": 12,
    "translation": 8,
}
"""Days until goods or services of each kind are there."""

APPROVAL_DAYS = 10

PayeeId = Annotated[str, Field(pattern=r"^PYE-\d{4}$", description="Id of the supplier in the address book, PYE-2101")]
CentreId = Annotated[str, Field(pattern=r"^CC-\d{3}$", description="Id of the cost centre that bears it, CC-210")]
Goods = Annotated[
    Literal[
        "catering",
        "courier service",
        "design work",
        "electrical work",
        "event space",
        "furniture",
        "hosting",
        "legal advice",
        "office supplies",
        "printing",
        "temporary staff",
        "translation",
    ],
    Field(description="Kind of the goods or services"),
]
Quantity = Annotated[int, Field(ge=1, le=10_000, description="How many pieces, hours or days of it")]
Price = Annotated[float, Field(gt=0, le=1e7, description="Net price of one, in units of its currency")]
RequisitionId = Annotated[str, Field(pattern=r"^REQ-[0-9A-F]{8}$", description="Id of a requisition, REQ-1A2B3C4D")]


@dataclass(frozen=True)
class PurchaseRequest:
    """Something wanted from a supplier.

    Raises:
        Refusal: 404 where the currency is not known, 400 where the price is too fine for it.
    """

    supplier: Payee
    centre: CostCentre
    goods: str
    quantity: int
    unit_price: float
    currency: str

    def __post_init__(self) -> None:
        exact_amount(self.unit_price, self.currency)

    def id(self, prefix: str) -> str:
        """The purchase's id as a requisition (REQ) or as an order (PO)."""
        price = rounded_amount(self.unit_price, self.currency)
        return identifier(prefix, self.supplier.id, self.centre.id, self.goods, self.quantity, price, self.currency)

    @property
    def net(self) -> float:
        """The price before tax."""
        return rounded_amount(self.quantity * self.unit_price, self.currency)

    @property
    def committed(self) -> float:
        """The amount that it takes of the budget, in euro."""
        return rounded_amount(self.net * rate(self.currency, HOME), HOME)

    @property
    def details(self) -> dict[str, Any]:
        """The fields that tell the purchase from another at the same supplier."""
        return {
            "cost_centre": self.centre.id,
            "goods": self.goods,
            "quantity": self.quantity,
            "unit_price": rounded_amount(self.unit_price, self.currency),
            "currency": self.currency,
        }

    @property
    def shown(self) -> dict[str, Any]:
        """The fields that requisition and order share."""
        return {
            "supplier_id": self.supplier.id,
            "supplier_name": self.supplier.name,
            "cost_centre": self.centre.id,
            "goods": self.goods,
            "quantity": self.quantity,
            "unit_price": self.unit_price,
            "net_amount": self.net,
            "currency": self.currency,
            "exchange_rate": rate(self.currency, HOME),
            "committed_amount": self.committed,
        }


_WAITING = {
    purchase.id("REQ"): purchase
    for purchase in (
        PurchaseRequest(payee("PYE-2103"), known_centre("CC-410"), "office supplies", 40, 315.0, "SEK"),
        PurchaseRequest(payee("PYE-2105"), known_centre("CC-120"), "translation", 24, 68.5, "EUR"),
        PurchaseRequest(payee("PYE-2111"), known_centre("CC-210"), "temporary staff", 12, 1_450.0, "PLN"),
        PurchaseRequest(payee("PYE-2102"), known_centre("CC-110"), "printing", 600, 1.35, "GBP"),
    )
}


def _request(world: World, purchase: PurchaseRequest) -> None:
    """Enter that the purchase is wanted, unless it is.

    Raises:
        Refusal: 409 where it is ordered already or exceeds the budget, 400 where it comes to nothing.
    """
    po_number = purchase.id("PO")
    if po_number in world.state("financial.purchases"):
        raise Refusal(409, "DuplicateOrder", "This order was placed already.", po_number=po_number)
    if purchase.committed <= 0:
        raise Refusal(400, "AmountTooSmall", "The order comes to less than a cent.")
    left = allotments.budget_left(world, purchase.centre)
    if purchase.committed > left:
        message = f"The cost centre {purchase.centre.id} has {left} EUR left, less than {purchase.committed} EUR."
        raise Refusal(409, "BudgetExceeded", message, budget_remaining=left)
    wanted, requisition_id = world.state("financial.requisitions"), purchase.id("REQ")
    if requisition_id not in wanted and requisition_id not in _WAITING:
        wanted[requisition_id] = purchase
        world.effect("request_purchase", purchase.supplier.id, **purchase.details)


def _order(world: World, purchase: PurchaseRequest) -> dict[str, Any]:
    _request(world, purchase)
    before = allotments.budget_left(world, purchase.centre)
    allotments.spend(world, purchase.centre, purchase.committed)
    world.state("financial.purchases")[purchase.id("PO")] = True
    world.effect("order_goods", purchase.supplier.id, **purchase.details)
    due = date.fromisoformat(TODAY) + timedelta(days=LEAD_DAYS[purchase.goods])
    return {
        **purchase.shown,
        "po_number": purchase.id("PO"),
        "requisition_id": purchase.id("REQ"),
        "budget_before": before,
        "budget_remaining": allotments.budget_left(world, purchase.centre),
        "payment_terms_days": purchase.supplier.terms,
        "ordered_on": TODAY,
        "deliver_by": due.isoformat(),
        "status": "ordered",
    }


class PurchaseBody(Answer):
    """Something wanted from a supplier."""

    supplier_id: str = Field(description="Id of the supplier")
    supplier_name: str = Field(description="Full name of the supplier")
    cost_centre: str = Field(description="Id of the cost centre that bears it")
    goods: str = Field(description="Kind of the goods or services")
    quantity: int = Field(description="How many of it")
    unit_price: float = Field(description="Net price of one")
    net_amount: float = Field(description="quantity x unit_price")
    currency: str = Field(description="Currency of unit_price and net_amount")
    exchange_rate: float = Field(description="Euro for one unit of currency")
    committed_amount: float = Field(description="net_amount in euro")


class Requisition(PurchaseBody):
    """A purchase that waits for approval."""

    requisition_id: str = Field(description="Id of the requisition")
    requested_on: str = Field(description="Day of the requisition")
    approve_by: str = Field(description="Last day on which it can be approved")
    status: Literal["awaiting_approval", "rejected"] = Field(description="Whether the requisition waits")


class PurchaseOrder(PurchaseBody):
    """A purchase order that is with the supplier."""

    po_number: str = Field(description="Number of the purchase order")
    requisition_id: str = Field(description="Id of the requisition behind it")
    budget_before: float = Field(description="What the cost centre could still spend before, in euro")
    budget_remaining: float = Field(description="What it may still spend after, in euro")
    payment_terms_days: int = Field(description="Days that the supplier gives to pay")
    ordered_on: str = Field(description="Day of the order")
    deliver_by: str = Field(description="Day by which the supplier delivers")
    status: Literal["ordered", "rejected"] = Field(description="Whether the order was placed")


_WANTED: tuple[Invariant, ...] = (
    CODED,
    OneOf("goods", tuple(LEAD_DAYS), ("livestock", "weather")),
    Formula(
        "net_amount",
        ("quantity", "unit_price", "currency"),
        lambda quantity, price, currency: rounded_amount(quantity * price, currency),
        "net_amount is quantity x unit_price",
    ),
    Formula(
        "committed_amount",
        ("net_amount", "exchange_rate"),
        lambda net, rate: net * rate,
        "committed_amount is net_amount x exchange_rate",
    ),
    Bounds("net_amount", 0, 1e11),
    Bounds("committed_amount", 0, 1e8),
)
_ORDERED: tuple[Invariant, ...] = (
    *_WANTED,
    Sums("budget_before", ("committed_amount", "budget_remaining")),
    Bounds("budget_remaining", 0, 1e8),
    Requires("po_number", "status", "ordered"),
    Requires("requisition_id", "status", "ordered"),
    *(Requires(field, "status", "ordered") for field in ("supplier_id", "supplier_name", "cost_centre")),
    Bounds("payment_terms_days", 0, 120),
    Ordered("ordered_on", "deliver_by"),
)
_TERMS = ("cost_centre", "goods", "quantity", "unit_price", "currency")
_ROWS = (
    ("PYE-2101", "Brightwater Catering", ("CC-110", "catering", 60, 24.5, "EUR")),
    ("PYE-2102", "Harbour Print Works", ("CC-120", "printing", 1500, 0.85, "GBP")),
    ("PYE-2113", "Belvedere Furniture Makers", ("CC-410", "furniture", 14, 389.0, "EUR")),
    ("PYE-2112", "Fjordlys Electrical", ("CC-230", "electrical work", 16, 940, "NOK")),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="procurement_history",
    parts=2,
    answer=PurchaseOrder,
    examples=tuple({"payee_id": id, **dict(zip(_TERMS, terms, strict=True))} for id, _, terms in _ROWS),
    refusals=(
        ({"payee_id": "PYE-9999", **dict(zip(_TERMS, _ROWS[0][2], strict=True))}, 404),
        ({"payee_id": "PYE-2101", **dict(zip(_TERMS, ("CC-320", "catering", 900, 95.0, "EUR"), strict=True))}, 409),
        ({"payee_id": "PYE-2101", **dict(zip(_TERMS, ("CC-320", "yachts", 1, 95.0, "EUR"), strict=True))}, 422),
    ),
    invariants=(Echo("payee_id", "supplier_id"), *(Echo(term, term) for term in _TERMS), *_ORDERED),
)
def raise_purchase_order(
    world: World,
    payee_id: PayeeId,
    cost_centre: CentreId,
    goods: Goods,
    quantity: Quantity,
    unit_price: Price,
    currency: Code,
) -> dict[str, Any]:
    """Order goods or services from a supplier, known by payee id, on a cost centre; nothing is paid yet."""
    return _order(
        world, PurchaseRequest(payee(payee_id), known_centre(cost_centre), goods, quantity, unit_price, currency)
    )


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="procurement_history",
    answer=Requisition,
    examples=tuple({"supplier_name": name, **dict(zip(_TERMS, terms, strict=True))} for _, name, terms in _ROWS),
    refusals=(
        ({"supplier_name": "Nobody and Sons", **dict(zip(_TERMS, _ROWS[0][2], strict=True))}, 404),
        (
            {
                "supplier_name": "Brightwater Catering",
                **dict(zip(_TERMS, ("CC-320", "catering", 900, 95.0, "EUR"), strict=True)),
            },
            409,
        ),
    ),
    echoes=("supplier_name", *_TERMS),
    invariants=(
        *_WANTED,
        Requires("requisition_id", "status", "awaiting_approval"),
        Requires("supplier_id", "status", "awaiting_approval"),
        Ordered("requested_on", "approve_by"),
    ),
)
def raise_requisition(
    world: World,
    supplier_name: PartyName,
    cost_centre: CentreId,
    goods: Goods,
    quantity: Quantity,
    unit_price: Price,
    currency: Code,
) -> dict[str, Any]:
    """Ask purchasing for goods or services of a supplier known by name; ordered only once it is approved."""
    purchase = PurchaseRequest(
        payee_named(supplier_name), known_centre(cost_centre), goods, quantity, unit_price, currency
    )
    _request(world, purchase)
    last = date.fromisoformat(TODAY) + timedelta(days=APPROVAL_DAYS)
    return {
        **purchase.shown,
        "requisition_id": purchase.id("REQ"),
        "requested_on": TODAY,
        "approve_by": last.isoformat(),
        "status": "awaiting_approval",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="procurement_history",
    answer=PurchaseOrder,
    examples=tuple({"requisition_id": id} for id in _WAITING),
    refusals=(({"requisition_id": "REQ-00000000"}, 404), ({"requisition_id": "17"}, 422)),
    echoes=("requisition_id",),
    invariants=_ORDERED,
)
def approve_requisition(world: World, requisition_id: RequisitionId) -> dict[str, Any]:
    """Approve a purchase requisition, by its id, so that the purchase order goes out to the supplier."""
    purchase = _WAITING.get(requisition_id) or world.state("financial.requisitions").get(requisition_id)
    if purchase is None:
        message = f"There is no requisition {requisition_id!r}."
        raise Refusal(404, "RequisitionNotFound", message, requisition_id=requisition_id)
    return _order(world, purchase)
