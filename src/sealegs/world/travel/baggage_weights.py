"""Pieces of checked baggage by their weights: what they weigh, and what excess costs by given rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.baggage_tariff import MAX_KG, total_charge
from sealegs.world.travel.facts import CURRENCIES, known_currency, rounded_money
from sealegs.world.travel.travel_arguments import Amount, Cabin, Currency

TOO_HEAVY = 45.0

Weights = Annotated[
    list[Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)]],
    Field(min_length=1, max_length=12, description="Weight of each piece in kilograms"),
]


def overweight(weights_kg: Sequence[float], max_kg: float) -> float:
    """Kilograms over the limit of a piece, over all pieces."""
    return round(sum(max(0.0, weight - max_kg) for weight in weights_kg), 2)


def _checked(weights_kg: Sequence[float]) -> None:
    heavy = [weight for weight in weights_kg if weight > TOO_HEAVY]
    if heavy:
        raise Refusal(400, "PieceTooHeavy", f"A piece of {heavy[0]} kg must travel as freight.", limit_kg=TOO_HEAVY)


class BaggageFee(Answer):
    """What excess baggage costs by given rules."""

    pieces: int = Field(description="Pieces")
    extra_pieces: int = Field(description="Pieces that are not free")
    overweight_kg: float = Field(description="Kilograms over the limit, over all pieces")
    piece_charge: float = Field(description="Charge for the extra pieces")
    overweight_charge: float = Field(description="Charge for the kilograms over the limit")
    total: float = Field(description="Both charges")
    currency: str = Field(description="ISO 4217 code of the charges")


@simulated_tool(
    category="processor",
    answer=BaggageFee,
    examples=(
        {
            "weights_kg": [21.5, 26, 18],
            "included_pieces": 1,
            "max_kg_per_piece": 23,
            "extra_piece_fee": 41,
            "overweight_fee_per_kg": 11,
            "currency": "EUR",
        },
        {
            "weights_kg": [30.5],
            "included_pieces": 0,
            "max_kg_per_piece": 23,
            "extra_piece_fee": 4800,
            "overweight_fee_per_kg": 1280,
            "currency": "JPY",
        },
        {
            "weights_kg": [31, 35.5, 33, 12],
            "included_pieces": 2,
            "max_kg_per_piece": 32,
            "extra_piece_fee": 77,
            "overweight_fee_per_kg": 15.4,
            "currency": "USD",
        },
    ),
    refusals=(
        (
            {
                "weights_kg": [50.5],
                "included_pieces": 1,
                "max_kg_per_piece": 23,
                "extra_piece_fee": 41,
                "overweight_fee_per_kg": 11,
                "currency": "EUR",
            },
            400,
        ),
        (
            {
                "weights_kg": [],
                "included_pieces": 1,
                "max_kg_per_piece": 23,
                "extra_piece_fee": 41,
                "overweight_fee_per_kg": 11,
                "currency": "EUR",
            },
            422,
        ),
    ),
    echoes=("currency",),
    invariants=(
        OneOf("currency", CURRENCIES, ("EUX", "UDS", "PTS", "XXX")),
        Formula("pieces", ("argument:weights_kg",), len, "pieces is the number of weights"),
        Formula(
            "extra_pieces",
            ("pieces", "argument:included_pieces"),
            lambda pieces, free: max(0, pieces - free),
            "extra_pieces are those beyond included_pieces",
        ),
        Formula(
            "overweight_kg",
            ("argument:weights_kg", "argument:max_kg_per_piece"),
            overweight,
            "overweight_kg are the kilograms over max_kg_per_piece",
        ),
        Formula(
            "piece_charge",
            ("extra_pieces", "argument:extra_piece_fee", "currency"),
            total_charge,
            "piece_charge is extra_pieces at extra_piece_fee",
        ),
        Sums("total", ("piece_charge", "overweight_charge")),
        Bounds("total", 0, None),
        Bounds("overweight_kg", 0, 300),
    ),
)
def baggage_fee(
    world: World,
    weights_kg: Weights,
    included_pieces: Annotated[int, Field(ge=0, le=6, description="Pieces that are free")],
    max_kg_per_piece: Annotated[int, Field(ge=10, le=45, description="What a piece may weigh in kilograms")],
    extra_piece_fee: Annotated[Amount, Field(description="Charge for each further piece")],
    overweight_fee_per_kg: Annotated[Amount, Field(description="Charge for each kilogram too much")],
    currency: Currency,
) -> dict[str, Any]:
    """Work out what excess baggage costs by given rules, from the weight of each piece."""
    _checked(weights_kg)
    known_currency(currency)
    extra = max(0, len(weights_kg) - included_pieces)
    over = overweight(weights_kg, max_kg_per_piece)
    pieces, kilograms = (
        total_charge(extra, extra_piece_fee, currency),
        total_charge(over, overweight_fee_per_kg, currency),
    )
    return {
        "pieces": len(weights_kg),
        "extra_pieces": extra,
        "overweight_kg": over,
        "piece_charge": pieces,
        "overweight_charge": kilograms,
        "total": rounded_money(pieces + kilograms, currency),
    }


class WeighedBaggage(Answer):
    """What pieces of baggage weigh."""

    cabin: str = Field(description="Cabin class")
    max_kg_per_piece: int = Field(description="What a piece may weigh in this cabin")
    pieces: int = Field(description="Pieces")
    total_kg: float = Field(description="Their weight together")
    heaviest_kg: float = Field(description="The heaviest piece")
    overweight_pieces: int = Field(description="Pieces over the limit")
    overweight_kg: float = Field(description="Kilograms over the limit, over all pieces")


@simulated_tool(
    category="processor",
    answer=WeighedBaggage,
    examples=(
        {"weights_kg": [21.5, 26, 18]},
        {"weights_kg": [31, 35.5, 33, 12], "cabin": "business"},
        {"weights_kg": [24.5, 23]},
    ),
    refusals=(
        ({"weights_kg": [50.5, 20]}, 400),
        ({"weights_kg": []}, 422),
        ({"weights_kg": [20], "cabin": "cargo"}, 422),
    ),
    echoes=("cabin",),
    invariants=(
        Known("max_kg_per_piece", "cabin", MAX_KG),
        Formula("pieces", ("argument:weights_kg",), len, "pieces is the number of weights"),
        Sums("total_kg", ("argument:weights_kg",)),
        Formula("heaviest_kg", ("argument:weights_kg",), max, "heaviest_kg is the largest weight"),
        Formula(
            "overweight_kg",
            ("argument:weights_kg", "max_kg_per_piece"),
            overweight,
            "overweight_kg are the kilograms over max_kg_per_piece",
        ),
        Bounds("overweight_pieces", 0, 12),
        Bounds("overweight_kg", 0, 300),
        Bounds("pieces", 1, 12),
    ),
)
def weigh_baggage(world: World, weights_kg: Weights, cabin: Cabin = "economy") -> dict[str, Any]:
    """Check pieces of baggage against a cabin's weight limit: count, total weight, and kilograms over the limit."""
    _checked(weights_kg)
    limit = MAX_KG[cabin]
    return {
        "max_kg_per_piece": limit,
        "pieces": len(weights_kg),
        "total_kg": round(sum(weights_kg), 2),
        "heaviest_kg": max(weights_kg),
        "overweight_pieces": sum(weight > limit for weight in weights_kg),
        "overweight_kg": overweight(weights_kg, limit),
    }
