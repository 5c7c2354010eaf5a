"""News alerts: digests on a topic that the user follows."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.general.facts import SUBSCRIBED
from sealegs.world.general.facts import topic as topic_named
from sealegs.world.general.place_and_time import format_moment, minutes_between
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

ISSUES = {"daily": 30, "weekly": 4, "monthly": 1}


class Subscription(Answer):
    """A news alert that was set up."""

    subscription_id: str = Field(description="Id of the subscription")
    status: str = Field(description="active")
    topic: str = Field(description="Topic as the catalogue writes it")
    frequency: str = Field(description="daily, weekly or monthly")
    subscribed_at: str = Field(description="When it was set up")
    first_issue_at: str = Field(description="When the first digest comes, YYYY-MM-DDTHH:MM")
    minutes_to_first_issue: int = Field(description="Minutes until then")
    issues_in_30_days: int = Field(description="Digests that come in thirty days")
    followed_topics: list[str] = Field(description="All topics that are followed now")
    followed_count: int = Field(description="How many they are")


Topic = Annotated[
    str,
    Field(min_length=2, max_length=60, description="Catalogue topic such as 'exchange rates', or a city or country"),
]
Frequency = Annotated[Literal["daily", "weekly", "monthly"], Field(description="How often a digest comes")]
Hour = Annotated[int, Field(ge=0, le=23, description="Hour of the day at which it comes")]


def _first_issue(frequency: str, hour: int) -> datetime:
    """The first issue after now: dailies every day, weeklies on Mondays, monthlies on the first of a month."""
    now = datetime.fromisoformat(NOW)
    today = now.replace(hour=hour, minute=0, second=0)
    if frequency == "monthly":
        return (today.replace(day=1) + timedelta(days=31)).replace(day=1)
    days = 1 if frequency == "daily" else 7
    start = today if frequency == "daily" else today - timedelta(days=now.weekday())
    return start if start > now else start + timedelta(days=days)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="alert_history",
    answer=Subscription,
    examples=(
        {"topic": "exchange rates", "frequency": "daily"},
        {"topic": "Rail strikes", "frequency": "weekly", "hour": 18},
        {"topic": "Japan", "frequency": "monthly"},
        {"topic": "Cape Town", "frequency": "daily", "hour": 21},
    ),
    refusals=(
        ({"topic": "Atlantis", "frequency": "daily"}, 404),
        ({"topic": "remote work", "frequency": "weekly"}, 409),
        ({"topic": "exchange rates", "frequency": "hourly"}, 422),
    ),
    echoes=("topic", "frequency"),
    invariants=(
        Requires("subscription_id", "status", "active"),
        OneOf("status", ("active",), ("suspended", "unverified")),
        Known("issues_in_30_days", "frequency", ISSUES),
        Ordered("subscribed_at", "first_issue_at"),
        Bounds("minutes_to_first_issue", 0, 46_080),
        Formula(
            "minutes_to_first_issue",
            ("subscribed_at", "first_issue_at"),
            minutes_between,
            "minutes_to_first_issue runs from subscribed_at to first_issue_at",
        ),
        Counts("followed_count", "followed_topics"),
    ),
)
def subscribe_news_alert(world: World, topic: Topic, frequency: Frequency, hour: Hour = 7) -> dict[str, Any]:
    """Subscribe the user to news digests on a topic, a city or a country: daily, weekly or monthly at a given hour."""
    label = topic_named(topic)
    followed = world.state("general.topics")
    if label in followed or label in SUBSCRIBED:
        raise Refusal(409, "AlreadySubscribed", f"{label!r} is followed.", topic=label)
    first = format_moment(_first_issue(frequency, hour))
    followed[label] = first
    world.effect("subscribe", label, frequency=frequency, first=first)
    topics = [*sorted(SUBSCRIBED), *followed]
    return {
        "subscription_id": identifier("SUB", label, frequency, hour),
        "status": "active",
        "topic": label,
        "subscribed_at": NOW[:16],
        "first_issue_at": first,
        "minutes_to_first_issue": minutes_between(NOW[:16], first),
        "issues_in_30_days": ISSUES[frequency],
        "followed_topics": topics,
        "followed_count": len(topics),
    }
