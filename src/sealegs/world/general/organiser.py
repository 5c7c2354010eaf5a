"""The user's own notes and checklist, and reminders of what stands in them.

A note's reminder is set for a moment; a checklist item has a due time and its alert comes so many minutes before.
Either way the same thing happens: something is kept, and the user is reminded of it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.general.facts import CHECKLIST, NOTES
from sealegs.world.general.place_and_time import Moment, format_moment, minutes_between, parse_moment, read_moment
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

CREATED = NOW[:16]
FAILED = ("rejected", "expired")

Title = Annotated[str, Field(min_length=2, max_length=80, pattern=r"\S", description="Short title, unique of its kind")]
Content = Annotated[
    str | float,
    Field(description="What to keep: text of up to 4000 characters, or a single number such as an amount"),
]
NoteId = Annotated[str, Field(pattern=r"^NOTE-[0-9A-F]{8}$", description="Id of a note, such as NOTE-0A1B2C3D")]
ItemId = Annotated[
    str, Field(pattern=r"^ITEM-[0-9A-F]{8}$", description="Id of a checklist item, such as ITEM-0A1B2C3D")
]
Notebook = Annotated[
    Literal["inbox", "travel", "work", "home", "finance"], Field(description="Notebook that the note goes into")
]


def _written(content: str | float) -> str:
    return content if isinstance(content, str) else f"{content:.12g}"


def _remind(world: World, title: str, remind_at: str) -> str:
    """Set a reminder and return its id.

    Raises:
        Refusal: 400 where the moment has passed, 409 where the user is reminded of it then already.
    """
    if remind_at <= CREATED:
        raise Refusal(400, "ReminderInPast", f"{remind_at} is not after now, which is {CREATED}.")
    reminder_id = identifier("RMD", title, remind_at)
    reminders = world.state("general.reminders")
    before = {item.title: item.alert_at for item in CHECKLIST.values()}
    if reminder_id in reminders or before.get(title) == remind_at:
        raise Refusal(409, "ReminderExists", f"A reminder of {title!r} at {remind_at} is set.", reminder_id=reminder_id)
    reminders[reminder_id] = remind_at
    world.effect("remind", title, at=remind_at)
    return reminder_id


class SavedNote(Answer):
    """A note that was saved."""

    note_id: str = Field(description="Id of the note, taken by set_note_reminder")
    status: str = Field(description="saved")
    title: str = Field(description="Its title")
    notebook: str = Field(description="Notebook it stands in")
    created_at: str = Field(description="When it was written")
    characters: int = Field(description="Length of its text")
    words: int = Field(description="Words in its text")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=SavedNote,
    examples=(
        {"title": "Berlin budget", "content": 1840.5, "notebook": "finance"},
        {"title": "Meeting in Tokyo", "content": "Starts at 23:30 local time, bring the adapter."},
        {"title": "Forecast Lisbon", "content": "Showers, 17 degrees at most.", "notebook": "travel"},
    ),
    refusals=(
        ({"title": "Visa appointment", "content": "Tuesday"}, 409),
        ({"title": "Berlin budget", "content": ""}, 400),
        ({"title": "Berlin budget", "content": 1840.5, "notebook": "attic"}, 422),
    ),
    echoes=("title", "notebook"),
    invariants=(
        Requires("note_id", "status", "saved"),
        OneOf("status", ("saved",), FAILED),
        Bounds("characters", 1, 4000),
        Bounds("words", 1, 2000),
        Formula("characters", ("argument:content",), lambda c: len(_written(c)), "characters counts those of content"),
        Formula("words", ("argument:content",), lambda c: len(_written(c).split()), "words counts those of content"),
    ),
    free_text=("content",),
)
def save_note(world: World, title: Title, content: Content, notebook: Notebook = "inbox") -> dict[str, Any]:
    """Save a note with a title and content (text or a number) in one of the user's notebooks."""
    text = _written(content)
    if not text.strip() or len(text) > 4000:
        raise Refusal(400, "BadContent", f"A note holds 1 to 4000 characters; this has {len(text.strip())}.")
    note_id = identifier("NOTE", title)
    notes = world.state("general.notes")
    if note_id in notes or note_id in NOTES:
        raise Refusal(409, "NoteExists", f"There is a note titled {title!r}.", note_id=note_id)
    notes[note_id] = title
    world.effect("keep", title)
    return {
        "note_id": note_id,
        "status": "saved",
        "created_at": CREATED,
        "characters": len(text),
        "words": len(text.split()),
    }


class NoteReminder(Answer):
    """A reminder of a note."""

    reminder_id: str = Field(description="Id of the reminder")
    status: str = Field(description="scheduled")
    note_id: str = Field(description="The note that it reminds of")
    title: str = Field(description="The note's title")
    created_at: str = Field(description="When the reminder was set")
    remind_at: str = Field(description="When the user is reminded, YYYY-MM-DDTHH:MM")
    minutes_from_now: int = Field(description="Minutes until then")


_NOTE_TITLES = {key: note.title for key, note in NOTES.items()}
_NOTE = {note.title: note.note_id for note in NOTES.values()}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=NoteReminder,
    examples=(
        {"note_id": _NOTE["Visa appointment"], "at": "2026-03-04T08:00"},
        {"note_id": _NOTE["Boiler service"], "at": "2026-03-17T18:30"},
        {"note_id": _NOTE["Rent and utilities"], "at": "2026-03-31T12:00:00"},
    ),
    refusals=(
        ({"note_id": "NOTE-00000000", "at": "2026-03-04T08:00"}, 404),
        ({"note_id": _NOTE["Boiler service"], "at": "2026-03-01T08:00"}, 400),
        ({"note_id": _NOTE["Boiler service"], "at": "2026-02-31T08:00"}, 400),
        ({"note_id": "Boiler service", "at": "2026-03-04T08:00"}, 422),
    ),
    echoes=("note_id",),
    invariants=(
        Known("title", "note_id", _NOTE_TITLES),
        Requires("reminder_id", "status", "scheduled"),
        OneOf("status", ("scheduled",), FAILED),
        Ordered("created_at", "remind_at"),
        Bounds("minutes_from_now", 0),
        Formula(
            "remind_at", ("argument:at",), lambda at: format_moment(parse_moment(at)), "remind_at is the argument at"
        ),
        Formula("minutes_from_now", ("created_at", "remind_at"), minutes_between, "minutes_from_now runs to remind_at"),
    ),
)
def set_note_reminder(world: World, note_id: NoteId, at: Moment) -> dict[str, Any]:
    """Set a reminder of a saved note for a date and time, by the note's id."""
    title = world.state("general.notes").get(note_id) or _NOTE_TITLES.get(note_id)
    if title is None:
        raise Refusal(404, "NoteNotFound", f"There is no note {note_id}.")
    remind_at = format_moment(read_moment(at))
    return {
        "reminder_id": _remind(world, title, remind_at),
        "status": "scheduled",
        "title": title,
        "created_at": CREATED,
        "remind_at": remind_at,
        "minutes_from_now": minutes_between(CREATED, remind_at),
    }


class AddedItem(Answer):
    """An item added to the checklist."""

    item_id: str = Field(description="Id of the item, taken by schedule_item_alert")
    status: str = Field(description="open")
    title: str = Field(description="What is to be done")
    created_at: str = Field(description="When it was added")
    due_at: str = Field(description="When it is due, YYYY-MM-DDTHH:MM")
    minutes_left: int = Field(description="Minutes until it is due")
    open_items: int = Field(description="Open items on the checklist, this one among them")
    open_titles: list[str] = Field(description="Their titles, the latest last")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=AddedItem,
    examples=(
        {"title": "Pack for Chicago", "due_at": "2026-03-08T20:00"},
        {"title": "Pay the caterer", "due_at": "2026-03-05T12:00", "details": 640.0},
        {"title": "Call the landlord", "due_at": "2026-03-03T16:45:00", "details": "Ask about the heating."},
    ),
    refusals=(
        ({"title": "Renew passport", "due_at": "2026-03-08T20:00"}, 409),
        ({"title": "Pack for Chicago", "due_at": "2026-03-02T08:00"}, 400),
        ({"title": "Pack for Chicago", "due_at": "tomorrow"}, 422),
    ),
    echoes=("title",),
    invariants=(
        Requires("item_id", "status", "open"),
        OneOf("status", ("open",), FAILED),
        Counts("open_items", "open_titles"),
        Ordered("created_at", "due_at"),
        Bounds("minutes_left", 0),
        Formula(
            "due_at", ("argument:due_at",), lambda at: format_moment(parse_moment(at)), "due_at is the argument due_at"
        ),
        Formula("minutes_left", ("created_at", "due_at"), minutes_between, "minutes_left runs to due_at"),
    ),
    free_text=("details",),
)
def add_checklist_item(
    world: World,
    title: Title,
    due_at: Moment,
    details: Annotated[str | float | None, Field(description="More about it: text or a number")] = None,
) -> dict[str, Any]:
    """Add something to be done, with the time it is due, to the user's checklist; details are optional."""
    due = format_moment(read_moment(due_at))
    if due <= CREATED:
        raise Refusal(400, "DueInPast", f"{due} is not after now, which is {CREATED}.")
    item_id = identifier("ITEM", title)
    items = world.state("general.checklist")
    if item_id in items or item_id in CHECKLIST:
        raise Refusal(409, "ItemExists", f"{title!r} is on the checklist.", item_id=item_id)
    items[item_id] = (title, due)
    world.effect("keep", title)
    titles = [item.title for item in CHECKLIST.values()] + [added for added, _ in items.values()]
    return {
        "item_id": item_id,
        "status": "open",
        "created_at": CREATED,
        "due_at": due,
        "minutes_left": minutes_between(CREATED, due),
        "open_items": len(titles),
        "open_titles": titles,
    }


class ItemAlert(Answer):
    """An alert before a checklist item is due."""

    reminder_id: str = Field(description="Id of the alert")
    status: str = Field(description="scheduled")
    item_id: str = Field(description="The item that it reminds of")
    title: str = Field(description="What is to be done")
    created_at: str = Field(description="When the alert was set")
    remind_at: str = Field(description="When the user is reminded, YYYY-MM-DDTHH:MM")
    due_at: str = Field(description="When the item is due, YYYY-MM-DDTHH:MM")
    minutes_before: int = Field(description="Minutes from the alert to the due time")
    minutes_from_now: int = Field(description="Minutes until the alert")


_ITEM = {item.title: item.item_id for item in CHECKLIST.values()}
_DUE = {key: (item.title, item.due_at) for key, item in CHECKLIST.items()}
Before = Annotated[int, Field(ge=0, le=10_080, description="Minutes before the due time, a week at most; 0: at it")]


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=ItemAlert,
    examples=(
        {"item_id": _ITEM["Renew passport"], "minutes_before": 1440},
        {"item_id": _ITEM["Pay electricity bill"]},
        {"item_id": _ITEM["Return rental car"], "minutes_before": 90},
    ),
    refusals=(
        ({"item_id": "ITEM-00000000"}, 404),
        ({"item_id": _ITEM["Confirm catering"]}, 409),
        ({"item_id": _ITEM["Water the office plants"], "minutes_before": 4320}, 400),
        ({"item_id": _ITEM["Renew passport"], "minutes_before": -5}, 422),
    ),
    echoes=("item_id", "minutes_before"),
    invariants=(
        Known("title", "item_id", {key: item.title for key, item in CHECKLIST.items()}),
        Known("due_at", "item_id", {key: item.due_at for key, item in CHECKLIST.items()}),
        Requires("reminder_id", "status", "scheduled"),
        OneOf("status", ("scheduled",), FAILED),
        Ordered("created_at", "remind_at"),
        Ordered("remind_at", "due_at"),
        Bounds("minutes_from_now", 0),
        Formula("minutes_before", ("remind_at", "due_at"), minutes_between, "minutes_before runs to due_at"),
        Formula("minutes_from_now", ("created_at", "remind_at"), minutes_between, "minutes_from_now runs to remind_at"),
    ),
)
def schedule_item_alert(world: World, item_id: ItemId, minutes_before: Before = 0) -> dict[str, Any]:
    """Schedule an alert for a checklist item, by its id, some minutes before it is due (or right at that time)."""
    found = world.state("general.checklist").get(item_id) or _DUE.get(item_id)
    if found is None:
        raise Refusal(404, "ItemNotFound", f"There is no checklist item {item_id}.")
    title, due = found
    remind_at = format_moment(parse_moment(due) - timedelta(minutes=minutes_before))
    return {
        "reminder_id": _remind(world, title, remind_at),
        "status": "scheduled",
        "title": title,
        "created_at": CREATED,
        "remind_at": remind_at,
        "due_at": due,
        "minutes_from_now": minutes_between(CREATED, remind_at),
    }
