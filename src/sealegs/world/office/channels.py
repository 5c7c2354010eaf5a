"""Chat channels. A message is known by its channel and number; its words are not read. Threads are not covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.office.facts import EMAIL_OF, NAME_OF, STAFF, THIS_MINUTE
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

ChannelName = Annotated[
    str, Field(pattern=r"^#?[a-z0-9][a-z0-9-]{1,40}$", description="Name of the channel, such as #announcements")
]
Prose = Annotated[str, Field(min_length=1, max_length=4000)]
Text = Annotated[Prose | float, Field(description="Text of the message, or the one figure that it reports")]


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel: who moderates it, its members, the messages in it, and the day of the last one."""

    name: str
    moderator_id: str
    members: int
    messages: int
    last_on: str
    read_only: bool = False


_CHANNELS = (
    Channel("announcements", "E-1060", 22, 148, "2026-02-27"),
    Channel("platform-alerts", "E-1015", 9, 5_310, "2026-03-02"),
    Channel("finance-desk", "E-1043", 7, 902, "2026-02-27"),
    Channel("sales-wins", "E-1070", 14, 611, "2026-02-26"),
    Channel("hiring", "E-1063", 8, 1_274, "2026-02-27"),
    Channel("legal-questions", "E-1084", 12, 433, "2026-02-25"),
    Channel("office-lisbon", "E-1066", 5, 780, "2026-02-27"),
    Channel("office-berlin", "E-1090", 6, 866, "2026-02-28"),
    Channel("office-tokyo", "E-1095", 5, 695, "2026-03-02"),
    Channel("office-new-york", "E-1093", 6, 1_020, "2026-02-27"),
    Channel("trade-fair", "E-1077", 9, 217, "2026-02-24"),
    Channel("travel", "E-1074", 16, 354, "2026-02-23"),
    Channel("archive-2024", "E-1001", 22, 12_408, "2024-12-30", read_only=True),
)
CHANNELS = {channel.name: channel for channel in _CHANNELS}


class PostedMessage(Answer):
    """A message in a channel."""

    message_id: str = Field(description="Id of the message")
    status: Literal["posted"] = Field(description="State of the message")
    channel: str = Field(description="Name of the channel")
    member_count: int = Field(description="Members of the channel")
    moderator_name: str = Field(description="Who moderates the channel")
    moderator_email: str = Field(description="Address of who moderates the channel")
    messages_before: int = Field(description="Messages in the channel before")
    number: int = Field(description="Running number of the message")
    last_active_on: str = Field(description="Day of the message before it, YYYY-MM-DD")
    posted_at: str = Field(description="When it was posted, YYYY-MM-DDTHH:MM")


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="message_history",
    answer=PostedMessage,
    examples=(
        {"channel": "#announcements", "text": "The London office closes at three on Friday."},
        {"channel": "#finance-desk", "text": "The February figures are in."},
        {"channel": "#office-tokyo", "text": 48_200.0},
        {"channel": "#travel", "text": "The train to Berlin leaves from platform seven."},
    ),
    refusals=(
        ({"channel": "#moon-base", "text": "Hello"}, 404),
        ({"channel": "#archive-2024", "text": "Hello"}, 403),
        ({"channel": "#travel", "text": ""}, 422),
    ),
    echoes=("channel",),
    invariants=(
        *(Requires(field, "status", "posted") for field in ("message_id", "channel")),
        Known("moderator_name", "moderator_email", NAME_OF),
        Known("moderator_email", "moderator_name", EMAIL_OF),
        Formula("number", ("messages_before",), lambda before: before + 1, "number is messages_before + 1"),
        Bounds("member_count", 1, 10_000),
        Bounds("number", 1, 1_000_000),
        Ordered("last_active_on", "posted_at"),
    ),
    free_text=("text",),
)
def post_channel_message(world: World, channel: ChannelName, text: Text) -> dict[str, Any]:
    """Post a message in a chat channel of the company, where all its members see it."""
    found = CHANNELS.get(channel.removeprefix("#"))
    if found is None:
        raise Refusal(404, "ChannelNotFound", f"There is no channel {channel!r}.", channel=channel)
    if found.read_only:
        raise Refusal(403, "ChannelReadOnly", f"#{found.name} is archived; nothing can be posted.", channel=channel)
    posted = world.state("office.channels")
    before = found.messages + posted.get(found.name, 0)
    posted[found.name] = posted.get(found.name, 0) + 1
    world.effect("post_message", found.name)
    moderator = STAFF[found.moderator_id]
    return {
        "message_id": identifier("CHM", found.name, before + 1),
        "status": "posted",
        "member_count": found.members,
        "moderator_name": moderator.name,
        "moderator_email": moderator.email,
        "messages_before": before,
        "number": before + 1,
        "last_active_on": found.last_on if before == found.messages else THIS_MINUTE[:10],
        "posted_at": THIS_MINUTE,
    }
