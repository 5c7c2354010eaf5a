"""The shop's terms as pure functions: what delivery costs and takes, what a coupon is worth, how long a warranty lasts.

Tools that say the same in different ways take it from here, to the cent. Money is in US dollars.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Literal

from sealegs.world.general.facts import city as known_city
from sealegs.world.shopping.facts import coupon
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

Service = Literal["standard", "express"]
PARCEL_LIMIT_KG = 500.0
ZONES = {
    **dict.fromkeys(("PT", "DE", "GB", "FR", "ES", "IT", "AT", "CH", "SE"), 1),
    **dict.fromkeys(("US", "CA"), 2),
    **dict.fromkeys(("JP", "CN", "KR", "SG", "AU"), 3),
    **dict.fromkeys(("IN", "AE", "MX", "ZA"), 4),
}
_BASE = {1: 4.90, 2: 6.50, 3: 9.80, 4: 13.20}
_PER_KG = {1: 0.85, 2: 1.10, 3: 1.95, 4: 2.60}
_STANDARD_DAYS = {
    **{"DE": 2, "AT": 3, "FR": 3, "CH": 3, "GB": 4, "IT": 4, "ES": 4, "SE": 4, "PT": 5},
    **{"US": 4, "CA": 5, "JP": 6, "KR": 6, "SG": 5, "CN": 7, "AU": 8, "IN": 8, "AE": 7, "MX": 7, "ZA": 10},
}
_FACTOR: dict[Service, float] = {"standard": 1.0, "express": 1.8}


@dataclass(frozen=True, slots=True)
class Shipment:
    """The cost and the duration of sending a parcel today.

    `fee` is `base_fee` and `weight_fee` together; `billable_kg` is the weight rounded up to half a kilogram.
    """

    city: str
    country: str
    zone: int
    weight_kg: float
    billable_kg: float
    base_fee: float
    weight_fee: float
    fee: float
    business_days: int
    ships_on: str
    delivery_date: str


def shipment(weight_kg: float, city: str, service: Service) -> Shipment:
    """The shop's delivery terms for a parcel of this weight in kilograms.

    Raises:
        Refusal: 404 for an unknown city, 400 for a parcel that is too heavy.
    """
    place = known_city(city)
    weight = round(weight_kg, 3)
    if weight > PARCEL_LIMIT_KG:
        raise Refusal(
            400,
            "ParcelTooHeavy",
            f"{weight:g} kg is over the limit of {PARCEL_LIMIT_KG:g} kg; split the order or ask for freight.",
            weight_kg=weight,
            limit_kg=PARCEL_LIMIT_KG,
        )
    zone = ZONES[place.country_code]
    billable = billable_kg(weight)
    base = round(_BASE[zone] * _FACTOR[service], 2)
    by_weight = round(_PER_KG[zone] * billable * _FACTOR[service], 2)
    days = _STANDARD_DAYS[place.country_code]
    days = days if service == "standard" else (days + 1) // 2
    return Shipment(
        place.name,
        place.country,
        zone,
        weight,
        billable,
        base,
        by_weight,
        round(base + by_weight, 2),
        days,
        TODAY,
        business_day(TODAY, days),
    )


def billable_kg(weight_kg: float) -> float:
    """The weight that a carrier charges: rounded up to half a kilogram."""
    return ceil(round(weight_kg * 2, 6)) / 2


def business_day(start: str, days: int) -> str:
    """The day that many working days (Monday to Friday) after `start`, YYYY-MM-DD."""
    day = date.fromisoformat(start)
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < 5
    return day.isoformat()


def months_after(start: str, months: int) -> str:
    """The same day of the month so many months later; the month's last day where it is shorter."""
    day = date.fromisoformat(start)
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1])).isoformat()


@dataclass(frozen=True, slots=True)
class Saving:
    """The discount of a coupon on an order."""

    code: str
    percent: float
    discount: float
    valid_until: str


def saving(code: str, order_value: float) -> Saving:
    """The discount of the coupon on an order of this value in US dollars.

    Raises:
        Refusal: 404 for an unknown code, 409 for one that has run out, 400 for an order below its minimum.
    """
    found = coupon(code)
    if found.valid_until < TODAY:
        raise Refusal(
            409,
            "CouponExpired",
            f"The coupon {found.code} ended on {found.valid_until}.",
            code=found.code,
            valid_until=found.valid_until,
        )
    if order_value < found.minimum:
        raise Refusal(
            400,
            "MinimumNotReached",
            f"The coupon {found.code} needs an order of {found.minimum:.2f} USD or more, not {order_value:.2f}.",
            code=found.code,
            minimum=found.minimum,
        )
    discount = min(found.cap, round(order_value * found.percent / 100, 2))
    return Saving(found.code, found.percent, discount, found.valid_until)
