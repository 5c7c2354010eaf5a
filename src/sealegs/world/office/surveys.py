"""Reading survey answers: ratings from 0 to 10, sorted into groups, and the net promoter score. No facts are needed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, OneOf, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Rating = Annotated[int, Field(ge=0, le=10)]
Ratings = Annotated[list[Rating], Field(min_length=1, max_length=500, description="Ratings from 0 to 10")]
People = Annotated[int, Field(ge=0, le=1_000_000)]
EXAMPLES = (
    {"ratings": [10, 9, 9, 7, 6, 10, 8]},
    {"ratings": [3, 5, 8, 9, 2, 6]},
    {"ratings": [10, 10, 9, 8, 9, 10, 9, 7, 4, 10]},
    {"ratings": [7, 8, 8, 7, 9, 5, 6, 10, 9]},
)
REFUSALS: tuple[tuple[dict[str, object], int], ...] = (
    ({"ratings": []}, 422),
    ({"ratings": [7, 11]}, 422),
    ({"ratings": "good"}, 422),
)


def _sorted(ratings: list[int]) -> tuple[int, int, int]:
    """The numbers of ratings by promoters (9, 10), passives (7, 8) and detractors (0 to 6)."""
    promoters, detractors = sum(r >= 9 for r in ratings), sum(r <= 6 for r in ratings)
    return promoters, len(ratings) - promoters - detractors, detractors


def _score(promoters: float, passives: float, detractors: float) -> float:
    return round(100 * (promoters - detractors) / (promoters + passives + detractors), 1)


def _verdict(score: float) -> str:
    return "excellent" if score >= 50 else "good" if score >= 20 else "fair" if score >= 0 else "poor"


VERDICT = (
    Formula("verdict", ("nps",), _verdict, "verdict follows from nps: 50, 20 and 0 are the limits"),
    OneOf("verdict", ("excellent", "good", "fair", "poor"), ("unrated", "superb")),
    Bounds("nps", -100, 100),
)


class Score(Answer):
    """The net promoter score of some ratings."""

    nps: float = Field(description="Net promoter score, -100 to 100, to one decimal place")
    verdict: str = Field(description="excellent from 50, good from 20, fair from 0, else poor")
    promoter_percent: float = Field(description="Percentage of ratings of 9 and 10")
    detractor_percent: float = Field(description="Percentage of ratings of 6 or less")
    response_count: int = Field(description="How many ratings there are")


@simulated_tool(
    category="processor",
    answer=Score,
    examples=EXAMPLES,
    refusals=REFUSALS,
    invariants=(
        *VERDICT,
        Counts("response_count", "argument:ratings"),
        Formula(
            "nps",
            ("promoter_percent", "detractor_percent"),
            lambda up, down: round(up - down, 1),
            "nps is the difference of the shares",
        ),
        Formula("nps", ("argument:ratings",), lambda ratings: _score(*_sorted(ratings)), "nps is that of the ratings"),
        Bounds("promoter_percent", 0, 100),
        Bounds("detractor_percent", 0, 100),
    ),
)
def nps_from_ratings(world: World, ratings: Ratings) -> dict[str, Any]:
    """Work out the net promoter score of a survey straight from its ratings between 0 and 10."""
    promoters, passives, detractors = _sorted(ratings)
    score = _score(promoters, passives, detractors)
    return {
        "nps": score,
        "verdict": _verdict(score),
        "promoter_percent": round(100 * promoters / len(ratings), 2),
        "detractor_percent": round(100 * detractors / len(ratings), 2),
        "response_count": len(ratings),
    }


class Groups(Answer):
    """Ratings by group."""

    promoters: int = Field(description="Ratings of 9 and 10")
    passives: int = Field(description="Ratings of 7 and 8")
    detractors: int = Field(description="Ratings of 6 or less")
    responses: int = Field(description="All ratings")
    largest_group: str = Field(description="Which of the three is the largest; the first of equals")


def _largest(promoters: int, passives: int, detractors: int) -> str:
    sizes = {"promoters": promoters, "passives": passives, "detractors": detractors}
    return max(sizes, key=lambda name: sizes[name])


@simulated_tool(
    category="processor",
    answer=Groups,
    examples=EXAMPLES,
    refusals=REFUSALS,
    invariants=(
        Sums("responses", ("promoters", "passives", "detractors")),
        Counts("responses", "argument:ratings"),
        *(
            Formula(
                name,
                ("argument:ratings",),
                lambda ratings, n=place: _sorted(ratings)[n],
                f"the ratings hold so many {name}",
            )
            for place, name in enumerate(("promoters", "passives", "detractors"))
        ),
        *(Bounds(name, 0, 500) for name in ("promoters", "passives", "detractors", "responses")),
        Formula("largest_group", ("promoters", "passives", "detractors"), _largest, "largest_group is the largest"),
        OneOf("largest_group", ("promoters", "passives", "detractors"), ("neutrals", "critics")),
    ),
)
def rating_groups(world: World, ratings: Ratings) -> dict[str, Any]:
    """Sort the ratings of a survey, between 0 and 10, into promoters, passives and detractors and count each."""
    promoters, passives, detractors = _sorted(ratings)
    return {
        "promoters": promoters,
        "passives": passives,
        "detractors": detractors,
        "responses": len(ratings),
        "largest_group": _largest(promoters, passives, detractors),
    }


class CountScore(Answer):
    """The net promoter score of counted answers."""

    promoters: int = Field(description="Promoters")
    passives: int = Field(description="Passives")
    detractors: int = Field(description="Detractors")
    responses: int = Field(description="All who answered")
    nps: float = Field(description="Net promoter score, -100 to 100, to one decimal place")
    verdict: str = Field(description="excellent from 50, good from 20, fair from 0, else poor")


@simulated_tool(
    category="processor",
    answer=CountScore,
    examples=(
        {"promoters": 4, "passives": 2, "detractors": 1},
        {"promoters": 31, "passives": 40, "detractors": 52},
        {"promoters": 120, "passives": 63, "detractors": 25},
        {"promoters": 9, "passives": 12, "detractors": 7},
    ),
    refusals=(
        ({"promoters": 0, "passives": 0, "detractors": 0}, 400),
        ({"promoters": -1, "passives": 3, "detractors": 2}, 422),
    ),
    echoes=("promoters", "passives", "detractors"),
    invariants=(
        Sums("responses", ("promoters", "passives", "detractors")),
        Formula("nps", ("promoters", "passives", "detractors"), _score, "nps is the difference in per cent"),
        *VERDICT,
    ),
)
def nps_from_counts(
    world: World,
    promoters: Annotated[People, Field(description="How many rated 9 or 10")],
    passives: Annotated[People, Field(description="How many rated 7 or 8")],
    detractors: Annotated[People, Field(description="How many rated 6 or less")],
) -> dict[str, Any]:
    """Work out the net promoter score from the numbers of promoters, passives and detractors."""
    if not promoters + passives + detractors:
        raise Refusal(400, "NoResponses", "A score needs at least one response.")
    score = _score(promoters, passives, detractors)
    return {"responses": promoters + passives + detractors, "nps": score, "verdict": _verdict(score)}
