"""Checked baggage on a flight: its rules, and what excess costs by the carrier's tariff."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Requires, Sums
from sealegs.world.tool import Answer, World, simulated_tool
from sealegs.world.travel.baggage_tariff import MAX_KG, charges, free_pieces, total_charge
from sealegs.world.travel.facts import CURRENCY_OF, rounded_money
from sealegs.world.travel.flight_facts import CARRIERS, flight
from sealegs.world.travel.travel_arguments import Cabin, FlightNumber


class BaggageRules(Answer):
    """What baggage a flight takes, and what excess costs."""

    flight_number: str = Field(description="Carrier code and number")
    carrier: str = Field(description="Carrier code")
    carrier_name: str = Field(description="Name of the carrier")
    origin: str = Field(description="City of departure")
    cabin: str = Field(description="Cabin class")
    status: str = Field(description="in_force")
    included_pieces: int = Field(description="Pieces that are free")
    max_kg_per_piece: int = Field(description="What a piece may weigh")
    included_kg: int = Field(description="What the free pieces may weigh together")
    extra_piece_fee: float = Field(description="Charge for each further piece")
    overweight_fee_per_kg: float = Field(description="Charge for each kilogram too much")
    currency: str = Field(description="ISO 4217 code of the charges: the origin's")


@simulated_tool(
    category="source",
    answer=BaggageRules,
    examples=(
        {"flight_number": "SV101"},
        {"flight_number": "BN226", "cabin": "business"},
        {"flight_number": "AQ311"},
        {"flight_number": "PL831", "cabin": "business"},
    ),
    refusals=(({"flight_number": "ZZ9999"}, 404), ({"flight_number": "101"}, 422)),
    echoes=("flight_number", "cabin"),
    invariants=(
        Known("carrier_name", "carrier", CARRIERS),
        Known("currency", "origin", CURRENCY_OF),
        Known("max_kg_per_piece", "cabin", MAX_KG),
        Requires("carrier", "status", "in_force"),
        Requires("origin", "status", "in_force"),
        Formula(
            "included_kg",
            ("included_pieces", "max_kg_per_piece"),
            lambda pieces, kg: pieces * kg,
            "included_kg is included_pieces times max_kg_per_piece",
        ),
        Bounds("included_pieces", 0, 4),
        Bounds("extra_piece_fee", 1, 200_000),
        Bounds("overweight_fee_per_kg", 1, 50_000),
    ),
)
def baggage_rules(world: World, flight_number: FlightNumber, cabin: Cabin = "economy") -> dict[str, Any]:
    """Look up a flight's checked baggage rules: free pieces, kilograms per piece, charges for excess."""
    found = flight(flight_number)
    piece, kilogram = charges(found)
    free = free_pieces(found, cabin)
    return {
        "carrier": found.carrier,
        "carrier_name": CARRIERS[found.carrier],
        "origin": found.origin.name,
        "status": "in_force",
        "included_pieces": free,
        "max_kg_per_piece": MAX_KG[cabin],
        "included_kg": free * MAX_KG[cabin],
        "extra_piece_fee": piece,
        "overweight_fee_per_kg": kilogram,
        "currency": found.origin.currency,
    }


class ExcessPrice(Answer):
    """What a carrier charges for excess baggage on a flight."""

    flight_number: str = Field(description="Carrier code and number")
    carrier_name: str = Field(description="Name of the carrier")
    origin: str = Field(description="City of departure")
    cabin: str = Field(description="Cabin class")
    pieces: int = Field(description="Pieces")
    included_pieces: int = Field(description="Pieces that are free")
    charged_pieces: int = Field(description="Pieces that are not")
    pieces_price: float = Field(description="Charge for these")
    overweight_price: float = Field(description="Charge for the kilograms over the limit")
    amount_due: float = Field(description="Both charges")
    currency: str = Field(description="ISO 4217 code of the charges: the origin's")


@simulated_tool(
    category="source",
    answer=ExcessPrice,
    examples=(
        {"flight_number": "SV101", "pieces": 2, "overweight_kg": 3.5},
        {"flight_number": "BN226", "pieces": 4, "overweight_kg": 0, "cabin": "business"},
        {"flight_number": "AQ311", "pieces": 1, "overweight_kg": 6},
        {"flight_number": "MW102", "pieces": 3},
    ),
    refusals=(
        ({"flight_number": "ZZ9999", "pieces": 2}, 404),
        ({"flight_number": "SV101", "pieces": 0}, 422),
    ),
    echoes=("flight_number", "cabin", "pieces"),
    invariants=(
        Known("currency", "origin", CURRENCY_OF),
        OneOf("carrier_name", tuple(sorted(CARRIERS.values())), ("Sterling Harbour Lines", "Quayside Coaches")),
        Formula(
            "charged_pieces",
            ("pieces", "included_pieces"),
            lambda pieces, free: max(0, pieces - free),
            "charged_pieces are those beyond included_pieces",
        ),
        Sums("amount_due", ("pieces_price", "overweight_price")),
        Bounds("amount_due", 0, 50_000_000),
        Bounds("included_pieces", 0, 4),
    ),
)
def excess_baggage_price(
    world: World,
    flight_number: FlightNumber,
    pieces: Annotated[int, Field(ge=1, le=12, description="Pieces of checked baggage")],
    overweight_kg: Annotated[
        float, Field(ge=0, le=300, allow_inf_nan=False, description="Kilograms over the limit, over all pieces")
    ] = 0.0,
    cabin: Cabin = "economy",
) -> dict[str, Any]:
    """Price checked baggage on a flight by the carrier's tariff: number of pieces and kilograms of overweight."""
    found = flight(flight_number)
    piece, kilogram = charges(found)
    currency, free = found.origin.currency, free_pieces(found, cabin)
    charged = max(0, pieces - free)
    extra, over = total_charge(charged, piece, currency), total_charge(overweight_kg, kilogram, currency)
    return {
        "carrier_name": CARRIERS[found.carrier],
        "origin": found.origin.name,
        "included_pieces": free,
        "charged_pieces": charged,
        "pieces_price": extra,
        "overweight_price": over,
        "amount_due": rounded_money(extra + over, currency),
        "currency": currency,
    }
