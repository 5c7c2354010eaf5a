"""Parts that several shopping tools share: types of arguments, and the statement that amounts are in dollars."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sealegs.faults.invariants import OneOf
from sealegs.world.shopping import terms_of_sale
from sealegs.world.shopping.facts import CURRENCY

Sku = Annotated[str, Field(pattern=r"^[A-Z]{2}-\d{4}$", description="Stock-keeping unit, such as KB-3105")]
Quantity = Annotated[int, Field(ge=1, le=200, description="Number of pieces")]
Place = Annotated[str, Field(min_length=2, max_length=60, description="City to deliver to, in English, such as Lisbon")]
Person = Annotated[
    str, Field(min_length=3, max_length=60, pattern=r"^\D+$", description="Full name, such as Marta Lindqvist")
]
Service = Annotated[terms_of_sale.Service, Field(description="Speed of delivery")]
Price = Annotated[float, Field(ge=0.01, le=100_000, description="Price of one piece in US dollars")]
OrderId = Annotated[str, Field(pattern=r"^ORD-[0-9A-F]{8}$", description="Order number, such as ORD-3F81C2A0")]
IN_DOLLARS = OneOf("currency", (CURRENCY,), ("PTS", "XXX", "credits"))
