"""Tools for affairs shared with others: polls, and lists that several people keep."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.general.own_facts import LISTS
from sealegs.world.general.place_and_time import Moment, format_moment, minutes_between, parse_moment, read_moment
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

AT = NOW[:16]
OPEN_POLLS = ("Team lunch", "Name of the new server", "Summer party date")

Subject = Annotated[
    str, Field(min_length=3, max_length=80, pattern=r"\S{2}", description="What is voted on, such as 'Venue in May'")
]
Option = Annotated[str | float, Field(description="An answer that can be chosen: a short text or a number")]
LastOption = Annotated[str | float | None, Field(description="A third answer, where there is one")]


class Poll(Answer):
    """A poll that is open."""

    poll_id: str = Field(description="Id of the poll")
    status: str = Field(description="open")
    title: str = Field(description="What is voted on")
    options: list[str | float] = Field(description="The answers that can be chosen, in order")
    option_count: int = Field(description="How many they are")
    opened_at: str = Field(description="When it was opened")
    closes_at: str = Field(description="When it closes, YYYY-MM-DDTHH:MM")
    minutes_open: int = Field(description="Minutes for which it is open")
    vote_link: str = Field(description="Where people vote")
    open_polls: int = Field(description="Polls of the user that are open, this one among them")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="sharing_history",
    answer=Poll,
    examples=(
        {
            "title": "Venue of the offsite",
            "first_option": "Porto",
            "second_option": "Vienna",
            "closes_at": "2026-03-06T17:00",
        },
        {
            "title": "Day of the visit",
            "first_option": "2026-03-18",
            "second_option": "2026-03-19",
            "third_option": "2026-03-25",
            "closes_at": "2026-03-09T12:00",
        },
        {
            "title": "Budget of the gift",
            "first_option": 40,
            "second_option": 62.5,
            "closes_at": "2026-03-03T18:30:00",
        },
        {
            "title": "Chairs for the lounge",
            "first_option": "the cheaper ones",
            "second_option": "the better rated ones",
            "closes_at": "2026-03-20T09:00",
        },
    ),
    refusals=(
        (
            {
                "title": "Team lunch",
                "first_option": "noodles",
                "second_option": "pizza",
                "closes_at": "2026-03-04T11:00",
            },
            409,
        ),
        ({"title": "Venue", "first_option": "Porto", "second_option": "porto", "closes_at": "2026-03-04T11:00"}, 400),
        ({"title": "Venue", "first_option": "Porto", "second_option": "Rome", "closes_at": "2026-03-01T11:00"}, 400),
        ({"title": "Venue", "first_option": "Porto", "second_option": "Rome", "closes_at": "Friday"}, 422),
    ),
    echoes=("title",),
    invariants=(
        Echo("first_option", "options.0"),
        Echo("second_option", "options.1"),
        Requires("poll_id", "status", "open"),
        Requires("vote_link", "status", "open"),
        OneOf("status", ("open",), ("draft", "closed")),
        Counts("option_count", "options"),
        Ordered("opened_at", "closes_at"),
        Bounds("minutes_open", 1),
        Bounds("open_polls", 1, 1000),
        Formula(
            "closes_at",
            ("argument:closes_at",),
            lambda at: format_moment(parse_moment(at)),
            "closes_at is the argument",
        ),
        Formula("minutes_open", ("opened_at", "closes_at"), minutes_between, "minutes_open run to closes_at"),
    ),
)
def create_poll(
    world: World,
    title: Subject,
    first_option: Option,
    second_option: Option,
    closes_at: Moment,
    third_option: LastOption = None,
) -> dict[str, Any]:
    """Open a poll in which people choose between two or three options until a date and time, and get its link."""
    closes = format_moment(read_moment(closes_at))
    if closes <= AT:
        raise Refusal(400, "ClosesInPast", f"{closes} is not after now, which is {AT}.")
    options = [option for option in (first_option, second_option, third_option) if option is not None]
    written = [str(option).strip().casefold() for option in options]
    if "" in written or len(set(written)) < len(written) or any(len(text) > 200 for text in written):
        raise Refusal(400, "BadOptions", "Options must be different texts or numbers of 1 to 200 characters.")
    polls = world.state("general.polls")
    poll_id = identifier("POL", title)
    if poll_id in {*polls, *(identifier("POL", known) for known in OPEN_POLLS)}:
        raise Refusal(409, "PollExists", f"There is an open poll titled {title!r}.", poll_id=poll_id)
    polls[poll_id] = title
    world.effect("open_poll", title, options=options, closes_at=closes)
    return {
        "poll_id": poll_id,
        "status": "open",
        "options": options,
        "option_count": len(options),
        "opened_at": AT,
        "closes_at": closes,
        "minutes_open": minutes_between(AT, closes),
        "vote_link": f"https://polls.example/{poll_id.casefold()}",
        "open_polls": len(OPEN_POLLS) + len(polls),
    }


class ListEntry(Answer):
    """One line of a shared list."""

    item: str = Field(description="What is wanted")
    quantity: int = Field(description="How many of it")


class ListAddition(Answer):
    """Something that was added to a shared list."""

    entry_id: str = Field(description="Id of the new line")
    status: str = Field(description="added")
    list_id: str = Field(description="Id of the list")
    list_name: str = Field(description="Name of the list")
    item: str = Field(description="What was added")
    quantity: int = Field(description="How many of it")
    added_at: str = Field(description="When it was added")
    member_count: int = Field(description="People who see the list")
    entry_count: int = Field(description="Lines on the list now")
    total_quantity: int = Field(description="The quantities of all lines together")
    entries: list[ListEntry] = Field(description="The lines, the latest last")


ListName = Annotated[
    Literal["groceries", "office supplies", "trip packing", "household repairs", "gift ideas", "reading list"],
    Field(description="Which of the shared lists"),
]
Item = Annotated[str, Field(min_length=2, max_length=120, pattern=r"\S", description="What to add, such as a product")]
HowMany = Annotated[int, Field(ge=1, le=1000, description="How many of it")]


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="sharing_history",
    answer=ListAddition,
    examples=(
        {"list_name": "groceries", "item": "Ground coffee", "quantity": 2},
        {"list_name": "trip packing", "item": "Umbrella"},
        {"list_name": "reading list", "item": "A Field Guide to Night Trains"},
        {"list_name": "office supplies", "item": "Printer paper", "quantity": 40},
        {"list_name": "gift ideas", "item": "Desk lamp", "quantity": 3},
    ),
    refusals=(
        ({"list_name": "groceries", "item": "oat milk"}, 409),
        ({"list_name": "groceries", "item": "Rice", "quantity": 0}, 422),
        ({"list_name": "holiday plans", "item": "Rice"}, 422),
    ),
    echoes=("list_name", "item", "quantity"),
    invariants=(
        Requires("entry_id", "status", "added"),
        OneOf("status", ("added",), ("pending_sync", "rejected")),
        Known("list_id", "list_name", {name: shared.list_id for name, shared in LISTS.items()}),
        Known("member_count", "list_name", {name: shared.members for name, shared in LISTS.items()}),
        Counts("entry_count", "entries"),
        Sums("total_quantity", ("entries.quantity",)),
        Bounds("quantity", 1, 1000),
        Bounds("entry_count", 1, 1000),
    ),
)
def add_to_shared_list(world: World, list_name: ListName, item: Item, quantity: HowMany = 1) -> dict[str, Any]:
    """Add an item with a quantity to one of the lists that the user shares with others, such as groceries."""
    shared = LISTS[list_name]
    added = world.state("general.shared_lists").setdefault(list_name, [])
    entries = [{"item": name, "quantity": many} for name, many in (*shared.entries, *added)]
    if item.strip().casefold() in {str(entry["item"]).casefold() for entry in entries}:
        raise Refusal(409, "ItemOnList", f"{item!r} is on the list {list_name!r}.", list_id=shared.list_id)
    added.append((item.strip(), quantity))
    entries.append({"item": item.strip(), "quantity": quantity})
    world.effect("add_to_list", item.strip(), list=list_name, quantity=quantity)
    return {
        "entry_id": identifier("ENT", list_name, item),
        "status": "added",
        "list_id": shared.list_id,
        "item": item.strip(),
        "added_at": AT,
        "member_count": shared.members,
        "entry_count": len(entries),
        "total_quantity": sum(int(entry["quantity"]) for entry in entries),
        "entries": entries,
    }
