"""The cost of goods delivered to a city, and the day of their delivery."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires, Sums
from sealegs.world.general.facts import CITIES
from sealegs.world.shopping.facts import CURRENCY, product
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Place, Quantity, Service, Sku
from sealegs.world.shopping.terms_of_sale import billable_kg, shipment
from sealegs.world.tool import Answer, World, simulated_tool

IN_COUNTRY = Known("country", "city", {city.name: city.country for city in CITIES.values()})


class DeliveryQuote(Answer):
    """What goods cost delivered."""

    sku: str = Field(description="Stock-keeping unit")
    quantity: int = Field(description="Number of pieces")
    city: str = Field(description="City of delivery")
    country: str = Field(description="Country of that city")
    service: str = Field(description="Speed of delivery")
    unit_price: float = Field(description="Price of one piece, US dollars")
    goods_total: float = Field(description="Price of all pieces, US dollars")
    shipping_cost: float = Field(description="Delivery, US dollars")
    total: float = Field(description="Goods and delivery together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    business_days: int = Field(description="Working days from dispatch to delivery")
    ships_on: str = Field(description="Day of dispatch, YYYY-MM-DD")
    delivery_date: str = Field(description="Day of delivery, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=DeliveryQuote,
    examples=(
        {"sku": "KB-3105", "quantity": 4, "city": "Lisbon"},
        {"sku": "CH-1318", "quantity": 2, "city": "Toronto", "service": "express"},
        {"sku": "MO-2127", "quantity": 1, "city": "Tokyo", "service": "standard"},
        {"sku": "PA-6001", "quantity": 10, "city": "Dubai", "service": "express"},
        {"sku": "LA-7023", "quantity": 6, "city": "Berlin"},
    ),
    refusals=(
        ({"sku": "ZZ-9999", "quantity": 1, "city": "Lisbon"}, 404),
        ({"sku": "KB-3105", "quantity": 1, "city": "Atlantis"}, 404),
        ({"sku": "PA-6030", "quantity": 100, "city": "Chicago"}, 400),
        ({"sku": "KB-3105", "quantity": 0, "city": "Lisbon"}, 422),
    ),
    echoes=("sku", "quantity", "city", "service"),
    invariants=(
        Sums("total", ("goods_total", "shipping_cost")),
        Formula("goods_total", ("unit_price", "quantity"), lambda p, n: p * n, "goods_total is unit_price x quantity"),
        Bounds("shipping_cost", 0, 20_000),
        Bounds("unit_price", 0.01, 5_000),
        Bounds("business_days", 0, 60),
        IN_COUNTRY,
        Ordered("ships_on", "delivery_date"),
        IN_DOLLARS,
    ),
)
def delivery_quote(
    world: World, sku: Sku, quantity: Quantity, city: Place, service: Service = "standard"
) -> dict[str, Any]:
    """Quote a product delivered: price of so many pieces, delivery cost to a city and the date if ordered today."""
    item = product(sku)
    parcel = shipment(item.weight_kg * quantity, city, service)
    goods = round(item.price * quantity, 2)
    return {
        "sku": item.sku,
        "city": parcel.city,
        "country": parcel.country,
        "unit_price": item.price,
        "goods_total": goods,
        "shipping_cost": parcel.fee,
        "total": round(goods + parcel.fee, 2),
        "currency": CURRENCY,
        "business_days": parcel.business_days,
        "ships_on": parcel.ships_on,
        "delivery_date": parcel.delivery_date,
    }


class Rate(Answer):
    """What a carrier charges for a parcel."""

    status: Literal["rated"] = Field(description="rated where the carrier takes the parcel")
    city: str = Field(description="City of delivery")
    country: str = Field(description="Country of that city")
    service: str = Field(description="Speed of delivery")
    zone: int = Field(description="Tariff zone of the city, 1 to 4")
    weight_kg: float = Field(description="Weight of the whole parcel in kilograms")
    billable_kg: float = Field(description="Weight charged: rounded up to half a kilogram")
    base_fee: float = Field(description="Fee for the parcel, US dollars")
    weight_fee: float = Field(description="Fee for the weight charged, US dollars")
    fee: float = Field(description="Both fees together, US dollars")
    currency: str = Field(description="ISO 4217 code of the fees, always USD")
    transit_days: int = Field(description="Working days from dispatch to delivery")
    ships_on: str = Field(description="Day of dispatch, YYYY-MM-DD")
    arrives_on: str = Field(description="Day of delivery, YYYY-MM-DD")


@simulated_tool(
    category="processor",
    answer=Rate,
    examples=(
        {"unit_weight_kg": 0.6, "pieces": 4, "city": "Lisbon"},
        {"unit_weight_kg": 17.8, "pieces": 2, "city": "Toronto", "service": "express"},
        {"unit_weight_kg": 5.9, "pieces": 1, "city": "Tokyo"},
        {"unit_weight_kg": 2.25, "pieces": 9, "city": "Sydney", "service": "express"},
    ),
    refusals=(
        ({"unit_weight_kg": 0.6, "pieces": 4, "city": "Atlantis"}, 404),
        ({"unit_weight_kg": 30, "pieces": 20, "city": "Lisbon"}, 400),
        ({"unit_weight_kg": 0, "pieces": 1, "city": "Lisbon"}, 422),
        ({"unit_weight_kg": 1, "pieces": 1, "city": "Lisbon", "service": "drone"}, 422),
    ),
    echoes=("city", "service"),
    invariants=(
        Sums("fee", ("base_fee", "weight_fee")),
        Formula(
            "weight_kg",
            ("argument:unit_weight_kg", "argument:pieces"),
            lambda weight, pieces: weight * pieces,
            "weight_kg is the arguments unit_weight_kg x pieces",
        ),
        Formula("billable_kg", ("weight_kg",), billable_kg, "billable_kg is weight_kg rounded up to half a kilogram"),
        Bounds("fee", 0, 20_000),
        Bounds("zone", 1, 4),
        Bounds("transit_days", 0, 60),
        IN_COUNTRY,
        Ordered("ships_on", "arrives_on"),
        Requires("arrives_on", "status", "rated"),
        IN_DOLLARS,
    ),
)
def parcel_rate(
    world: World,
    unit_weight_kg: Annotated[float, Field(ge=0.001, le=500, description="Weight of one piece in kilograms")],
    pieces: Annotated[int, Field(ge=1, le=1_000, description="Number of pieces in the parcel")],
    city: Place,
    service: Service = "standard",
) -> dict[str, Any]:
    """Rate a parcel by the carrier's tariff from its weight: fee to a city, and the arrival date if sent today."""
    parcel = shipment(unit_weight_kg * pieces, city, service)
    return {
        "status": "rated",
        "city": parcel.city,
        "country": parcel.country,
        "zone": parcel.zone,
        "weight_kg": parcel.weight_kg,
        "billable_kg": parcel.billable_kg,
        "base_fee": parcel.base_fee,
        "weight_fee": parcel.weight_fee,
        "fee": parcel.fee,
        "currency": CURRENCY,
        "transit_days": parcel.business_days,
        "ships_on": parcel.ships_on,
        "arrives_on": parcel.delivery_date,
    }
