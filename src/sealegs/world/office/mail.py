"""Mail. A message is known by its recipient and how many went there before; its words are not read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Ordered, Requires, Sums
from sealegs.world.office.facts import ADDRESS, MAIL_DOMAIN, THIS_MINUTE, mailbox
from sealegs.world.office.teams import list_addresses
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, World, simulated_tool

HEADER_BYTES = 412
To = Annotated[
    str,
    Field(
        pattern=ADDRESS,
        max_length=120,
        description="Address of the recipient, inside or outside the company",
    ),
]
Subject = Annotated[str, Field(min_length=1, max_length=200, description="Subject line")]
Prose = Annotated[str, Field(min_length=1, max_length=20_000)]
Body = Annotated[Prose | float, Field(description="Text of the message, or the one figure that it reports")]
Importance = Annotated[Literal["low", "normal", "high"], Field(description="Mark that the recipient sees")]


class SentMail(Answer):
    """A message that was sent."""

    message_id: str = Field(description="Id of the message")
    status: Literal["sent"] = Field(description="State of the message")
    to: str = Field(description="Address of the recipient")
    subject: str = Field(description="Subject line")
    importance: str = Field(description="Mark that the recipient sees")
    accepted_at: str = Field(description="When the server took it, YYYY-MM-DDTHH:MM")
    sent_at: str = Field(description="When it left, YYYY-MM-DDTHH:MM")
    recipients: list[str] = Field(description="Mailboxes that it went to")
    recipient_count: int = Field(description="How many they are")
    header_bytes: int = Field(description="Size of the header")
    content_bytes: int = Field(description="Size of subject and body")
    size_bytes: int = Field(description="Size of the message")


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="message_history",
    answer=SentMail,
    examples=(
        {
            "to": "ines.duarte@fernhill.example",
            "subject": "Room for Tuesday",
            "body": "Tejo is ours on Tuesday from two to three.",
        },
        {"to": "berlin-all@fernhill.example", "subject": "Fire drill", "body": "Today at three, by the east stairs."},
        {
            "to": "amelia.hartwell@fernhill.example",
            "subject": "Travel spending",
            "body": "Sales has spent 44,915.10 USD on travel so far.",
            "importance": "high",
        },
        {
            "to": "bookings@harbour-hotel.example",
            "subject": "Three rooms in March",
            "body": "Please keep three single rooms from 9 to 11 March.",
        },
        {
            "to": "aiko.sendai@fernhill.example",
            "subject": "Visitor badge",
            "body": "Our auditor comes on Friday and needs a badge.",
            "importance": "low",
        },
    ),
    refusals=(
        ({"to": "nobody@fernhill.example", "subject": "Hello", "body": "Are you there?"}, 404),
        ({"to": "not an address", "subject": "Hello", "body": "Are you there?"}, 422),
        ({"to": "ines.duarte@fernhill.example", "subject": "Hello", "body": ""}, 422),
    ),
    echoes=("to", "subject", "importance"),
    invariants=(
        Requires("message_id", "status", "sent"),
        Requires("to", "status", "sent"),
        Ordered("accepted_at", "sent_at"),
        Counts("recipient_count", "recipients"),
        Sums("size_bytes", ("header_bytes", "content_bytes")),
        Bounds("size_bytes", 1, 200_000),
    ),
    free_text=("subject", "body"),
)
def send_email(world: World, to: To, subject: Subject, body: Body, importance: Importance = "normal") -> dict[str, Any]:
    """Send a plain text e-mail to one address, inside or outside the company, also to a distribution list's."""
    inside = to.casefold().endswith(f"@{MAIL_DOMAIN}")
    listed = list_addresses(to)
    address = to.casefold() if listed or not inside else mailbox(to).email
    sent = world.state("office.mail")
    sent[address] = sent.get(address, 0) + 1
    world.effect("send_email", address)
    content = len(subject.encode()) + len(str(body).encode())
    return {
        "message_id": identifier("MSG", address, sent[address]),
        "status": "sent",
        "to": address,
        "accepted_at": THIS_MINUTE,
        "sent_at": THIS_MINUTE,
        "recipients": listed or [address],
        "recipient_count": len(listed) or 1,
        "header_bytes": HEADER_BYTES,
        "content_bytes": content,
        "size_bytes": HEADER_BYTES + content,
    }
