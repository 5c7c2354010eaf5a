"""Boards: tasks planned at once, or taken down into the backlog and planned later.

A task is known by its board and running number; its words are not read. Progress and milestones are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.office.facts import EMAIL_OF, NAME_OF, THIS_MINUTE, Employee, coming_day, mailbox
from sealegs.world.office.office_arguments import DueDay, WorkAddress, days_apart
from sealegs.world.office.project_facts import BOARDS, Board, board_named
from sealegs.world.office.working_days import within_year
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

BoardName = Annotated[str, Field(min_length=3, max_length=80, description="Name of the board, such as Month-end close")]
Title = Annotated[str, Field(min_length=3, max_length=200, description="What is to be done, in a few words")]
ItemId = Annotated[
    str, Field(pattern=r"^[A-Z]{3}-[0-9]{1,5}$", description="Number of an item in a backlog, such as WEB-94")
]
WAITING: Final = (("WEB", 94), ("CLO", 231), ("OFF", 272), ("SEC", 80), ("DAT", 63))
NAME_BY_KEY = {board.key: board.name for board in BOARDS.values()}
KEYS = {board.name: board.key for board in BOARDS.values()}


@dataclass(frozen=True, slots=True)
class BoardTask:
    """A task of a board, by its running number."""

    board: Board
    number: int

    @property
    def id(self) -> str:
        """The task's number with the board's prefix."""
        return f"{self.board.key}-{self.number}"


BACKLOG = {item.id: item for item in (BoardTask(BOARDS[NAME_BY_KEY[key]], number) for key, number in WAITING)}


class TaskBody(Answer):
    """The fields of a task whatever its state."""

    task_id: str = Field(description="Number of the task on its board")
    board: str = Field(description="Name of the board")
    board_key: str = Field(description="Prefix of the board's numbers")
    number: int = Field(description="Running number on the board")


class PlannedTask(TaskBody):
    """A task that somebody is to do by a day."""

    status: Literal["planned"] = Field(description="State of the task")
    assignee_name: str = Field(description="Who is to do it")
    assignee_email: str = Field(description="Address of who is to do it")
    due_date: str = Field(description="Day by which it is due, YYYY-MM-DD")
    planned_at: str = Field(description="When it was planned, YYYY-MM-DDTHH:MM")
    days_left: int = Field(description="Days from today until it is due")


class CapturedTask(TaskBody):
    """A task in the backlog."""

    title: str = Field(description="What is to be done")
    status: Literal["backlog"] = Field(description="State of the task")
    position: int = Field(description="Place in the backlog, 1 at the top")
    items_above: int = Field(description="How many items stand above it")
    captured_at: str = Field(description="When it was taken down, YYYY-MM-DDTHH:MM")


TASK = (
    Known("board", "board_key", NAME_BY_KEY),
    Known("board_key", "board", KEYS),
    Formula("number", ("task_id",), lambda id: int(id.split("-")[1]), "number is the one in task_id"),
    Bounds("number", 1, 99_999),
)
PLAN = (
    *(Requires(field, "status", "planned") for field in ("task_id", "assignee_email", "due_date")),
    Known("assignee_name", "assignee_email", NAME_OF),
    Known("assignee_email", "assignee_name", EMAIL_OF),
    Ordered("planned_at", "due_date"),
    Formula("days_left", ("due_date",), lambda due: days_apart(TODAY, due), "days_left is the time until due_date"),
    Bounds("days_left", 0, 365),
    *TASK,
)


def _add(world: World, name: str) -> BoardTask:
    board = board_named(name)
    added = world.state("office.board_numbers")
    added[board.key] = added.get(board.key, board.last_number) + 1
    item = BoardTask(board, added[board.key])
    world.state("office.backlog")[item.id] = item
    world.effect("add_task", item.id, board=board.name)
    return item


def _assignable(email: str, due_date: str) -> Employee:
    """The person who is to do something by a day that is to come."""
    within_year(coming_day(due_date))
    return mailbox(email)


def _plan(world: World, item: BoardTask, person: Employee, due_date: str) -> dict[str, Any]:
    world.state("office.planned_tasks")[item.id] = True
    world.effect("plan_task", item.id, assignee=person.email, due_date=due_date)
    return {
        **_body(item),
        "status": "planned",
        "assignee_name": person.name,
        "assignee_email": person.email,
        "due_date": due_date,
        "planned_at": THIS_MINUTE,
        "days_left": days_apart(TODAY, due_date),
    }


def _body(item: BoardTask) -> dict[str, Any]:
    return {"task_id": item.id, "board": item.board.name, "board_key": item.board.key, "number": item.number}


CREATED = (
    {
        "board": "Month-end close",
        "title": "Reconcile travel advances",
        "assignee_email": "oliver.finchley@fernhill.example",
        "due_date": "2026-03-06",
    },
    {
        "board": "Website content",
        "title": "Replace team photo",
        "assignee_email": "noah.fielding@fernhill.example",
        "due_date": "2026-03-13",
    },
    {
        "board": "Security reviews",
        "title": "Review badge logs",
        "assignee_email": "hanna.vogt@fernhill.example",
        "due_date": "2026-04-01",
    },
    {
        "board": "Office move",
        "title": "Label the archive boxes",
        "assignee_email": "aiko.sendai@fernhill.example",
        "due_date": "2026-03-20",
    },
)


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="work_item_history",
    parts=2,
    answer=PlannedTask,
    examples=CREATED,
    refusals=(
        ({**CREATED[0], "board": "Moon base"}, 404),
        ({**CREATED[0], "assignee_email": "nobody@fernhill.example"}, 404),
        ({**CREATED[0], "due_date": "2026-02-27"}, 400),
    ),
    echoes=("board", "assignee_email", "due_date"),
    invariants=PLAN,
    free_text=("title",),
)
def create_task(
    world: World, board: BoardName, title: Title, assignee_email: WorkAddress, due_date: DueDay
) -> dict[str, Any]:
    """Create a task on a team's board with somebody to do it and a day by which it is due."""
    board_named(board)
    person = _assignable(assignee_email, due_date)
    return _plan(world, _add(world, board), person, due_date)


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="work_item_history",
    answer=CapturedTask,
    examples=tuple({"board": task["board"], "title": task["title"]} for task in CREATED),
    refusals=(({"board": "Moon base", "title": "Land"}, 404), ({"board": "Trade fair", "title": ""}, 422)),
    echoes=("board", "title"),
    invariants=(
        Requires("task_id", "status", "backlog"),
        Formula("position", ("items_above",), lambda above: above + 1, "position is items_above + 1"),
        Bounds("position", 1, 10_000),
        *TASK,
    ),
    free_text=("title",),
)
def capture_backlog_item(world: World, board: BoardName, title: Title) -> dict[str, Any]:
    """Take an item down in the backlog of a team's board, with nobody to do it and no due date yet."""
    waiting = sum(item.board.name == board_named(board).name for item in _waiting(world).values())
    return {
        **_body(_add(world, board)),
        "title": title,
        "status": "backlog",
        "position": waiting + 1,
        "items_above": waiting,
        "captured_at": THIS_MINUTE,
    }


PLANS = (
    {"task_id": "WEB-94", "assignee_email": "noah.fielding@fernhill.example", "due_date": "2026-03-11"},
    {"task_id": "CLO-231", "assignee_email": "mei.tan@fernhill.example", "due_date": "2026-03-05"},
    {"task_id": "OFF-272", "assignee_email": "lucas.penbrook@fernhill.example", "due_date": "2026-03-18"},
    {"task_id": "DAT-63", "assignee_email": "kenji.morioka@fernhill.example", "due_date": "2026-04-09"},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="work_item_history",
    answer=PlannedTask,
    examples=PLANS,
    refusals=(
        ({**PLANS[0], "task_id": "WEB-9"}, 404),
        ({**PLANS[0], "assignee_email": "nobody@fernhill.example"}, 404),
        ({**PLANS[0], "due_date": "2026-02-30"}, 400),
    ),
    echoes=("task_id", "assignee_email", "due_date"),
    invariants=PLAN,
)
def plan_backlog_item(world: World, task_id: ItemId, assignee_email: WorkAddress, due_date: DueDay) -> dict[str, Any]:
    """Plan an item that waits in a board's backlog: say who does it and by which day it is due."""
    item = _waiting(world).get(task_id)
    if item is None:
        raise Refusal(404, "ItemNotFound", f"No item {task_id!r} waits in a backlog.", task_id=task_id)
    return _plan(world, item, _assignable(assignee_email, due_date), due_date)


def _waiting(world: World) -> dict[str, BoardTask]:
    planned = world.state("office.planned_tasks")
    return {id: item for id, item in (BACKLOG | world.state("office.backlog")).items() if id not in planned}
