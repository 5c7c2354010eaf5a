"""Facts of the shop: products, coupons, orders of the past weeks, open carts and holds.

The shop sells office supplies in US dollars to cities that `sealegs.world.general.facts` knows. Changes of an episode
(stock set aside, new carts, holds, orders) are not here: see `sealegs.world.shopping.ledger`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sealegs.world.tool import Refusal

CURRENCY = "USD"
Category = Literal[
    "office chairs", "monitors", "keyboards", "headsets", "coffee", "printer paper", "desk lamps", "backpacks"
]
CATEGORIES: tuple[str, ...] = get_args(Category)
Stars = tuple[int, int, int, int, int]
Stock = tuple[int, int, int, int]
WAREHOUSES = {"BER1": "Berlin", "ORD2": "Chicago", "SIN1": "Singapore", "LIS1": "Lisbon"}


@dataclass(frozen=True, slots=True)
class Product:
    """A product: price of one pack in US dollars, its weight in kilograms, what it holds, how customers rated it.

    Attributes:
        stars: number of reviews with five, four, three, two and one star.
        stock: pieces available in each of `WAREHOUSES`, in that order.
        warranty_months: the maker's warranty; 0 for consumables.
    """

    sku: str
    name: str
    brand: str
    category: Category
    price: float
    weight_kg: float
    pack_size: float
    pack_unit: str
    warranty_months: int
    stars: Stars
    stock: Stock

    @property
    def reviews(self) -> int:
        """Number of reviews."""
        return sum(self.stars)

    @property
    def rating(self) -> float:
        """Mean number of stars, to two decimals."""
        return round(sum(n * s for n, s in zip(self.stars, range(5, 0, -1), strict=True)) / self.reviews, 2)


def _shelf(
    category: Category, pack_unit: str, *rows: tuple[str, str, float, float, float, int, Stars, Stock]
) -> tuple[Product, ...]:
    """Products from rows of SKU, name, price, weight, pack size, months of warranty, stars and stock."""
    return tuple(
        Product(sku, name, name.split()[0], category, price, weight, pack, pack_unit, months, stars, stock)
        for sku, name, price, weight, pack, months, stars, stock in rows
    )


# fmt: off
_PRODUCTS = (
    *_shelf("office chairs", "piece",
        ("CH-1204", "Norrvik Mesh Chair", 189.00, 14.2, 1, 60, (212, 88, 23, 9, 6), (18, 40, 12, 7)),
        ("CH-1318", "Tessaro Ergo Chair", 329.00, 17.8, 1, 120, (164, 31, 8, 2, 1), (9, 22, 5, 3)),
        ("CH-1422", "Palmeri Swivel Chair", 119.50, 11.6, 1, 24, (97, 74, 41, 18, 12), (34, 51, 0, 20)),
        ("CH-1507", "Brasmoor Kneeling Chair", 149.90, 8.9, 1, 36, (58, 39, 22, 7, 5), (6, 0, 14, 11)),
    ),
    *_shelf("monitors", "piece",
        ("MO-2110", "Ondaro 24-inch Display", 164.00, 4.1, 1, 36, (301, 164, 72, 31, 22), (60, 85, 33, 12)),
        ("MO-2127", "Ondaro 27-inch Display", 259.00, 5.9, 1, 36, (188, 67, 15, 6, 4), (41, 28, 19, 8)),
        ("MO-2232", "Haldrin 32-inch Curved Display", 412.50, 8.3, 1, 48, (86, 17, 6, 3, 1), (7, 15, 10, 0)),
        ("MO-2316", "Quillon Portable Display", 139.00, 0.9, 1, 24, (83, 57, 30, 12, 9), (25, 31, 44, 16)),
    ),
    *_shelf("keyboards", "piece",
        ("KB-3105", "Velqua Compact Keyboard", 49.90, 0.6, 1, 24, (410, 205, 66, 30, 24), (120, 96, 75, 40)),
        ("KB-3140", "Velqua Split Keyboard", 118.00, 1.1, 1, 36, (143, 48, 11, 4, 3), (22, 35, 9, 14)),
        ("KB-3212", "Corvain Quiet Keyboard", 72.40, 0.8, 1, 24, (265, 71, 28, 14, 8), (48, 0, 27, 31)),
        ("KB-3277", "Corvain Mechanical Keyboard", 96.00, 1.3, 1, 36, (131, 66, 31, 9, 11), (17, 43, 12, 5)),
    ),
    *_shelf("headsets", "piece",
        ("HS-4021", "Lirando Wired Headset", 38.50, 0.3, 1, 24, (190, 133, 71, 29, 22), (88, 74, 52, 36)),
        ("HS-4068", "Lirando Wireless Headset", 129.00, 0.4, 1, 24, (227, 92, 24, 11, 8), (30, 47, 21, 9)),
        ("HS-4115", "Soventa Quiet Headset", 214.00, 0.5, 1, 36, (178, 35, 7, 3, 2), (13, 19, 8, 6)),
        ("HS-4190", "Soventa Travel Headset", 84.90, 0.2, 1, 24, (61, 44, 17, 10, 6), (0, 0, 0, 0)),
    ),
    *_shelf("coffee", "kg",
        ("CO-5003", "Bramello House Coffee", 16.80, 1.05, 1, 0, (342, 121, 38, 12, 9), (140, 160, 90, 75)),
        ("CO-5017", "Bramello Dark Coffee", 9.90, 0.54, 0.5, 0, (118, 77, 33, 15, 8), (95, 60, 44, 52)),
        ("CO-5042", "Tamarro Espresso Coffee", 31.00, 2.1, 2, 0, (205, 49, 13, 5, 3), (66, 38, 25, 29)),
        ("CO-5088", "Tamarro Decaf Coffee", 19.40, 1.04, 1, 0, (64, 40, 25, 13, 11), (31, 27, 18, 12)),
    ),
    *_shelf("printer paper", "ream",
        ("PA-6001", "Kelbrook A4 Paper", 27.50, 12.6, 5, 0, (277, 89, 20, 8, 5), (200, 0, 110, 90)),
        ("PA-6014", "Kelbrook Recycled Paper", 23.90, 12.4, 5, 0, (133, 82, 37, 14, 10), (85, 0, 60, 70)),
        ("PA-6030", "Ostrave Letter Paper", 52.00, 23.8, 10, 0, (131, 54, 17, 8, 5), (0, 180, 40, 0)),
        ("PA-6055", "Ostrave Photo Paper", 34.20, 4.4, 2, 0, (92, 29, 6, 2, 1), (26, 33, 21, 10)),
    ),
    *_shelf("desk lamps", "piece",
        ("LA-7009", "Miravel Clamp Lamp", 34.90, 1.7, 1, 24, (148, 96, 40, 16, 10), (55, 62, 31, 28)),
        ("LA-7023", "Miravel Dimmable Lamp", 58.00, 2.2, 1, 36, (201, 60, 14, 7, 4), (37, 29, 16, 21)),
        ("LA-7051", "Fenwise Daylight Lamp", 79.50, 2.9, 1, 36, (94, 17, 5, 1, 1), (12, 18, 9, 4)),
        ("LA-7064", "Fenwise Folding Lamp", 26.40, 0.9, 1, 12, (72, 65, 48, 22, 19), (70, 44, 58, 33)),
    ),
    *_shelf("backpacks", "piece",
        ("BP-8012", "Tarnholt Laptop Backpack", 64.00, 1.2, 1, 60, (233, 86, 26, 8, 7), (44, 57, 39, 18)),
        ("BP-8036", "Tarnholt Slim Backpack", 47.50, 0.8, 1, 24, (115, 81, 34, 12, 9), (29, 36, 24, 45)),
        ("BP-8050", "Averdeen Roll-Top Backpack", 92.00, 1.4, 1, 60, (128, 27, 8, 3, 1), (10, 14, 7, 9)),
        ("BP-8077", "Averdeen Rolling Backpack", 138.00, 3.1, 1, 60, (57, 33, 13, 6, 4), (5, 11, 6, 0)),
    ),
)
# fmt: on
PRODUCTS = {product.sku: product for product in _PRODUCTS}


def product(sku: str) -> Product:
    """The product of this stock-keeping unit.

    Raises:
        Refusal: 404 where there is none.
    """
    found = PRODUCTS.get(sku.strip().upper())
    if found is None:
        raise Refusal(404, "ProductNotFound", f"No product has the SKU {sku!r}.", sku=sku)
    return found


@dataclass(frozen=True, slots=True)
class Coupon:
    """A coupon: per cent off an order of at least `minimum` dollars, `cap` dollars at most, to the end of a day."""

    code: str
    percent: float
    minimum: float
    cap: float
    valid_until: str


_COUPONS = (
    Coupon("SPRING10", 10, 0, 500, "2026-04-30"),
    Coupon("DESK15", 15, 100, 150, "2026-03-31"),
    Coupon("TEAM20", 20, 250, 400, "2026-06-30"),
    Coupon("WELCOME5", 5, 0, 50, "2026-12-31"),
    Coupon("BULK25", 25, 500, 1000, "2026-05-15"),
    Coupon("COFFEE12", 12, 30, 60, "2026-03-20"),
    Coupon("QUIET18", 18, 150, 120, "2026-04-10"),
    Coupon("PAPER8", 8, 50, 80, "2026-07-01"),
    Coupon("STAFF30", 30, 0, 300, "2026-12-31"),
    Coupon("NEWDESK22", 22, 400, 250, "2026-03-15"),
    Coupon("LIGHT7", 7, 25, 40, "2026-09-30"),
    Coupon("WINTER35", 35, 100, 500, "2026-02-28"),
    Coupon("XMAS40", 40, 0, 200, "2025-12-26"),
)
COUPONS = {coupon.code: coupon for coupon in _COUPONS}


def coupon(code: str) -> Coupon:
    """The coupon with this code, in any case, whether or not it is still good.

    Raises:
        Refusal: 404 where there is none.
    """
    found = COUPONS.get(code.strip().upper())
    if found is None:
        raise Refusal(404, "CouponNotFound", f"There is no coupon {code!r}.", code=code)
    return found


@dataclass(frozen=True, slots=True)
class LineItem:
    """So many pieces of one product."""

    sku: str
    quantity: int


@dataclass(frozen=True, slots=True)
class PastOrder:
    """An order that was placed before the episode began."""

    order_id: str
    customer: str
    lines: tuple[LineItem, ...]
    city: str
    placed_on: str
    status: Literal["processing", "shipped", "delivered", "cancelled"]


_DESK_SETS = (LineItem("HS-4115", 3), LineItem("KB-3105", 3))
_TRAVEL_SET = (LineItem("BP-8012", 2), LineItem("CO-5003", 5))
_ORDERS = (
    PastOrder("ORD-3F81C2A0", "Marta Lindqvist", (LineItem("CH-1318", 1),), "Stockholm", "2026-01-12", "delivered"),
    PastOrder("ORD-91B07E44", "Owen Prescott", (LineItem("MO-2127", 2),), "London", "2026-01-20", "delivered"),
    PastOrder("ORD-0AD6F513", "Keiko Hanabe", (LineItem("KB-3140", 1),), "Tokyo", "2026-01-27", "delivered"),
    PastOrder("ORD-7C2E98B1", "Tomas Ferreira", _DESK_SETS, "Lisbon", "2026-02-02", "delivered"),
    PastOrder("ORD-E45A1D09", "Priya Ramdas", (LineItem("LA-7023", 4),), "Mumbai", "2026-02-05", "delivered"),
    PastOrder("ORD-58F3B7C6", "Hannah Vogt", (LineItem("CH-1204", 6),), "Berlin", "2026-02-09", "delivered"),
    PastOrder("ORD-B20C64EF", "Luis Cardenal", (LineItem("PA-6030", 10),), "Mexico City", "2026-02-11", "shipped"),
    PastOrder("ORD-16D9A3F8", "Claire Monteil", _TRAVEL_SET, "Paris", "2026-02-17", "shipped"),
    PastOrder("ORD-C7715E2D", "Samir Haddoun", (LineItem("MO-2232", 1),), "Dubai", "2026-02-19", "shipped"),
    PastOrder("ORD-48E0FB92", "Grace Wexley", (LineItem("BP-8050", 2),), "Toronto", "2026-02-24", "processing"),
    PastOrder("ORD-D36B8A17", "Jonas Bergmeier", (LineItem("KB-3277", 5),), "Vienna", "2026-02-26", "processing"),
    PastOrder("ORD-2B94C05E", "Elena Rossetti", (LineItem("LA-7051", 2),), "Rome", "2026-02-20", "cancelled"),
    PastOrder("ORD-F1683D7A", "Daniel Okonjo", (LineItem("CO-5042", 8),), "Cape Town", "2026-02-27", "processing"),
    PastOrder(
        "ORD-6A2F90C4",
        "Ines Duarte",
        (LineItem("MO-2110", 5), LineItem("KB-3105", 5)),
        "Lisbon",
        "2026-02-03",
        "delivered",
    ),
    PastOrder("ORD-85D13E7B", "Amelia Hartwell", (LineItem("CH-1204", 2),), "London", "2026-02-10", "delivered"),
    PastOrder("ORD-D9074BA2", "Kenji Morioka", (LineItem("HS-4068", 3),), "Tokyo", "2026-02-06", "delivered"),
    PastOrder("ORD-27E6C81F", "Lena Borgmann", (LineItem("CH-1422", 8),), "Berlin", "2026-02-16", "delivered"),
    PastOrder("ORD-BC5840D6", "Grace Whitlow", (LineItem("BP-8012", 6),), "New York", "2026-02-12", "delivered"),
    PastOrder("ORD-43F1A95E", "Freja Lindahl", (LineItem("LA-7051", 3),), "Stockholm", "2026-02-13", "delivered"),
    PastOrder("ORD-9E70D2B8", "Oliver Finchley", (LineItem("PA-6014", 6),), "London", "2026-02-25", "shipped"),
    PastOrder("ORD-70B9E6C3", "Aiko Sendai", (LineItem("KB-3212", 4),), "Tokyo", "2026-02-26", "processing"),
)
ORDERS = {order.order_id: order for order in _ORDERS}


@dataclass(frozen=True, slots=True)
class OpenCart:
    """A cart that was filled before the episode began and is still open; its pieces are out of the stock already."""

    cart_id: str
    customer: str
    lines: tuple[LineItem, ...]


_CARTS = (
    OpenCart("CART-5A10D3E7", "Nadia Kessler", (LineItem("LA-7009", 6),)),
    OpenCart("CART-B8F24C61", "Peter Ashdown", (LineItem("MO-2110", 4), LineItem("KB-3212", 4))),
    OpenCart("CART-0C97E1AB", "Yuna Seo", (LineItem("HS-4068", 2),)),
    OpenCart("CART-D4631F58", "Isabel Quintero", (LineItem("CO-5003", 12), LineItem("CO-5088", 3))),
    OpenCart("CART-E20B7A94", "Victor Halloran", (LineItem("CH-1422", 3),)),
)
CARTS = {cart.cart_id: cart for cart in _CARTS}


@dataclass(frozen=True, slots=True)
class OpenHold:
    """Pieces that were set aside for someone before the episode began; they are out of the stock already."""

    hold_id: str
    held_for: str
    line: LineItem
    warehouse: str


_HOLDS = (
    OpenHold("HOLD-7D02B6F9", "Nadia Kessler", LineItem("CH-1204", 2), "ORD2"),
    OpenHold("HOLD-31CE8A40", "Arjun Velani", LineItem("MO-2127", 5), "BER1"),
    OpenHold("HOLD-A94F05D2", "Sofia Brandt", LineItem("BP-8077", 1), "SIN1"),
    OpenHold("HOLD-6B18C37E", "Leo Castellan", LineItem("PA-6001", 20), "BER1"),
    OpenHold("HOLD-F5E290AC", "Mei Tanoka", LineItem("KB-3140", 3), "LIS1"),
)
HOLDS = {hold.hold_id: hold for hold in _HOLDS}
