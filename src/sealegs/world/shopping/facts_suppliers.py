"""Facts of the shop's suppliers: their goods, costs, lead times and smallest orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sealegs.world.shopping.facts import Product
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class Supplier:
    """A supplier.

    Attributes:
        share: what a piece costs the shop, as a share of the shop's own price, for each category delivered.
        lead_days: working days from an order to the goods.
        minimum: fewest pieces of one product in an order.
    """

    supplier_id: str
    name: str
    city: str
    email: str
    share: Mapping[str, float]
    lead_days: int
    minimum: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A supplier's offer of one product: cost of one piece in US dollars."""

    supplier: Supplier
    unit_cost: float


# fmt: off
_SUPPLIERS = (
    Supplier("SUP-2041", "Hallermann Sitzwerk", "Berlin", "orders@hallermann.example",
             {"office chairs": 0.58, "desk lamps": 0.66}, 8, 10),
    Supplier("SUP-2067", "Ostermalm Interior Supply", "Stockholm", "sales@ostermalm.example",
             {"office chairs": 0.61, "desk lamps": 0.57, "backpacks": 0.64}, 5, 5),
    Supplier("SUP-2112", "Hinode Display Works", "Tokyo", "trade@hinode.example",
             {"monitors": 0.62, "keyboards": 0.59}, 12, 20),
    Supplier("SUP-2138", "Gangbyeon Electronics", "Seoul", "b2b@gangbyeon.example",
             {"monitors": 0.6, "headsets": 0.55}, 11, 10),
    Supplier("SUP-2173", "Merlion Device Trading", "Singapore", "desk@merliondevice.example",
             {"monitors": 0.65, "keyboards": 0.56, "headsets": 0.6}, 6, 5),
    Supplier("SUP-2205", "Lakeshore Office Wholesale", "Chicago", "orders@lakeshore.example",
             {"office chairs": 0.67, "keyboards": 0.63, "printer paper": 0.54}, 3, 1),
    Supplier("SUP-2236", "Tejo Coffee Roasters", "Lisbon", "wholesale@tejoroasters.example",
             {"coffee": 0.49}, 4, 12),
    Supplier("SUP-2259", "Serra Alta Coffee", "Mexico City", "export@serraalta.example",
             {"coffee": 0.46}, 13, 20),
    Supplier("SUP-2284", "Navigli Torrefazione", "Rome", "ordini@navigli.example",
             {"coffee": 0.52}, 5, 5),
    Supplier("SUP-2317", "Kelheim Papier", "Vienna", "verkauf@kelheim.example",
             {"printer paper": 0.51}, 6, 20),
    Supplier("SUP-2342", "Dagenham Paper Merchants", "London", "trade@dagenham.example",
             {"printer paper": 0.57, "desk lamps": 0.6}, 4, 5),
    Supplier("SUP-2371", "Deccan Bag Makers", "Mumbai", "sales@deccanbags.example",
             {"backpacks": 0.48}, 14, 15),
    Supplier("SUP-2398", "Sarrat Maroquinerie", "Paris", "pro@sarrat.example",
             {"backpacks": 0.6, "headsets": 0.68}, 5, 5),
)
# fmt: on
SUPPLIERS = {supplier.supplier_id: supplier for supplier in _SUPPLIERS}


def supplier(supplier_id: str) -> Supplier:
    """The supplier with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = SUPPLIERS.get(supplier_id)
    if found is None:
        raise Refusal(404, "SupplierNotFound", f"There is no supplier {supplier_id!r}.", supplier_id=supplier_id)
    return found


def offer(source: Supplier, item: Product) -> Offer:
    """The supplier's offer of a product.

    Raises:
        Refusal: 409 where the supplier does not deliver it.
    """
    if item.category not in source.share:
        raise Refusal(409, "NotSupplied", f"{source.name} delivers no {item.category}.", category=item.category)
    return Offer(source, round(item.price * source.share[item.category], 2))


def offers(item: Product) -> tuple[Offer, ...]:
    """Every offer of a product, the cheapest first."""
    found = (offer(source, item) for source in SUPPLIERS.values() if item.category in source.share)
    return tuple(sorted(found, key=lambda one: (one.unit_cost, one.supplier.lead_days, one.supplier.supplier_id)))
