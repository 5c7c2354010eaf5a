"""Documents: amounts of a workbook's column, by aggregate or cell by cell, and sharing within the company."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, Ordered, Requires, Sums
from sealegs.world.office.facts import ADDRESS, MAIL_DOMAIN, SITES, STAFF, THIS_MINUTE, mailbox
from sealegs.world.office.workbooks import WORKBOOKS, Column, workbook_by_id, workbook_titled
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

LARGEST = 1_000_000_000
REVIEW_ON = f"{int(TODAY[:4]) + 1}{TODAY[4:]}"
Title = Annotated[
    str, Field(min_length=3, max_length=120, description="Title of the workbook, such as Lisbon office costs 2026")
]
ColumnName = Annotated[Column, Field(description="Heading of the column")]
DocumentId = Annotated[str, Field(pattern=r"^DOC-[0-9]{4}$", description="Document id, such as DOC-3101")]
Reader = Annotated[
    str,
    Field(
        pattern=ADDRESS,
        max_length=120,
        description="Address of the person it is shared with",
    ),
]
Role = Annotated[Literal["viewer", "commenter", "editor"], Field(description="What the person may do")]

EXAMPLES = (
    {"workbook": "Lisbon office costs 2026", "column": "spent"},
    {"workbook": "Platform cloud spend 2026", "column": "planned"},
    {"workbook": "London office costs 2026", "column": "committed"},
    {"workbook": "Sales travel 2026", "column": "spent"},
    {"workbook": "Tokyo office costs 2026", "column": "planned"},
    {"workbook": "Recruiting plan 2026", "column": "committed"},
)
REFUSALS = (
    ({"workbook": "Moon base costs 2026", "column": "spent"}, 404),
    ({"workbook": "Lisbon office costs 2026", "column": "imagined"}, 422),
)


class SheetAnswer(Answer):
    """The fields of a workbook that every reading of a column has."""

    document_id: str = Field(description="Document id of the workbook")
    workbook: str = Field(description="Title of the workbook")
    column: str = Field(description="Heading of the column")
    city: str = Field(description="City of the office that the workbook belongs to")
    currency: str = Field(description="ISO 4217 code of the amounts")


class ColumnTotal(SheetAnswer):
    """Aggregates of a column."""

    status: Literal["current"] = Field(description="Whether the figures are those of the latest version")
    total: float = Field(description="Sum of the amounts")
    average: float = Field(description="Mean of the amounts, to two decimal places")
    smallest: float = Field(description="Smallest amount")
    largest: float = Field(description="Largest amount")
    row_count: int = Field(description="How many amounts there are")
    created_on: str = Field(description="Day on which the workbook was made, YYYY-MM-DD")
    updated_on: str = Field(description="Day of its latest version, YYYY-MM-DD")


class Cell(Answer):
    """A cell with the label of its row."""

    cell: str = Field(description="Cell, such as C4")
    label: str = Field(description="Label of the row")
    amount: float = Field(description="Amount in the cell")


class ColumnCells(SheetAnswer):
    """The cells of a column, with what the status bar shows of the selection."""

    range_status: Literal["complete"] = Field(description="Whether all cells of the column are here")
    cell_range: str = Field(description="Range that was read, such as C2:C6")
    cells: list[Cell] = Field(description="The cells from the top down")
    cell_count: int = Field(description="How many cells there are")
    selection_sum: float = Field(description="Sum of the selection")
    selection_average: float = Field(description="Mean of the selection, to two decimal places")


SHEET = (
    Known("currency", "city", {office.city: office.currency for office in SITES.values()}),
    Known("city", "document_id", {book.id: book.city for book in WORKBOOKS.values()}),
    Known("workbook", "document_id", {book.id: book.title for book in WORKBOOKS.values()}),
)


@simulated_tool(
    category="source",
    answer=ColumnTotal,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("workbook", "column"),
    invariants=(
        *SHEET,
        Requires("document_id", "status", "current"),
        Formula("total", ("average", "row_count"), lambda mean, rows: mean * rows, "total is average x row_count"),
        Bounds("total", 0, LARGEST),
        Bounds("smallest", 0, LARGEST),
        Bounds("largest", 0, LARGEST),
        Formula("largest", ("largest", "average"), max, "largest is at least the average"),
        Formula("smallest", ("smallest", "average"), min, "smallest is at most the average"),
        Ordered("created_on", "updated_on"),
    ),
)
def sheet_column_total(world: World, workbook: Title, column: ColumnName) -> dict[str, Any]:
    """Have the spreadsheet service aggregate one column of a workbook: total, average, extremes and number of rows."""
    book = workbook_titled(workbook)
    amounts = [amount for _, _, amount in book.cells(column)]
    return {
        **_sheet(workbook, column),
        "status": "current",
        "total": round(sum(amounts), 2),
        "average": round(sum(amounts) / len(amounts), 2),
        "smallest": min(amounts),
        "largest": max(amounts),
        "row_count": len(amounts),
        "created_on": book.created_on,
        "updated_on": book.updated_on,
    }


@simulated_tool(
    category="source",
    answer=ColumnCells,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("workbook", "column"),
    invariants=(
        *SHEET,
        Requires("document_id", "range_status", "complete"),
        Sums("selection_sum", ("cells.amount",)),
        Mean("selection_average", "cells.amount"),
        Counts("cell_count", "cells"),
        Bounds("cells.amount", 0, LARGEST),
        Bounds("selection_sum", 0, LARGEST),
        Formula(
            "selection_sum",
            ("selection_average", "cell_count"),
            lambda mean, count: mean * count,
            "selection_sum is selection_average x cell_count",
        ),
    ),
)
def sheet_read_column(world: World, workbook: Title, column: ColumnName) -> dict[str, Any]:
    """Read the cells of one column of a workbook with the labels of their rows, as a person sees them on the screen."""
    cells = workbook_titled(workbook).cells(column)
    amounts = [amount for _, _, amount in cells]
    return {
        **_sheet(workbook, column),
        "range_status": "complete",
        "cell_range": f"{cells[0][0]}:{cells[-1][0]}",
        "cells": [{"cell": cell, "label": label, "amount": amount} for cell, label, amount in cells],
        "cell_count": len(cells),
        "selection_sum": round(sum(amounts), 2),
        "selection_average": round(sum(amounts) / len(amounts), 2),
    }


def _sheet(title: str, column: str) -> dict[str, Any]:
    book = workbook_titled(title)
    return {
        "document_id": book.id,
        "workbook": book.title,
        "column": column,
        "city": book.city,
        "currency": book.currency,
    }


class Permission(Answer):
    """A permission on a document."""

    permission_id: str = Field(description="Id of the permission")
    status: Literal["granted"] = Field(description="State of the permission")
    document_id: str = Field(description="Id of the document")
    title: str = Field(description="Title of the document")
    owner_email: str = Field(description="Address of the owner")
    email: str = Field(description="Address of the person it is shared with")
    role: str = Field(description="What the person may do")
    granted_at: str = Field(description="When it was granted, YYYY-MM-DDTHH:MM")
    review_on: str = Field(description="Day on which the permission is looked at again, YYYY-MM-DD")
    collaborators: list[str] = Field(description="Addresses of all who have access, the owner first")
    collaborator_count: int = Field(description="How many they are")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="message_history",
    answer=Permission,
    examples=(
        {"document_id": "DOC-3101", "email": "ines.duarte@fernhill.example"},
        {"document_id": "DOC-3120", "email": "oliver.finchley@fernhill.example", "role": "editor"},
        {"document_id": "DOC-3122", "email": "marta.quintela@fernhill.example", "role": "commenter"},
        {"document_id": "DOC-3107", "email": "yuki.hanabe@fernhill.example"},
    ),
    refusals=(
        ({"document_id": "DOC-9999", "email": "ines.duarte@fernhill.example"}, 404),
        ({"document_id": "DOC-3101", "email": "nobody@fernhill.example"}, 404),
        ({"document_id": "DOC-3101", "email": "someone@elsewhere.example"}, 403),
        ({"document_id": "DOC-3101", "email": "marta.quintela@fernhill.example"}, 409),
    ),
    echoes=("document_id", "email", "role"),
    invariants=(
        Requires("permission_id", "status", "granted"),
        Requires("email", "status", "granted"),
        Known("title", "document_id", {book.id: book.title for book in WORKBOOKS.values()}),
        Known("owner_email", "document_id", {book.id: STAFF[book.owner_id].email for book in WORKBOOKS.values()}),
        Ordered("granted_at", "review_on"),
        Counts("collaborator_count", "collaborators"),
        Bounds("collaborator_count", 2, 100),
    ),
)
def share_document(world: World, document_id: DocumentId, email: Reader, role: Role = "viewer") -> dict[str, Any]:
    """Share a document with a colleague, named by work address, as viewer, commenter or editor."""
    found = workbook_by_id(document_id)
    if not email.casefold().endswith(f"@{MAIL_DOMAIN}"):
        raise Refusal(403, "ExternalSharingBlocked", f"Documents are shared within {MAIL_DOMAIN} only.", email=email)
    reader, owner = mailbox(email).email, STAFF[found.owner_id].email
    shared = world.state("office.permissions")
    before = shared.get(document_id, ())
    if reader in (owner, *before):
        raise Refusal(409, "AlreadyShared", f"{reader} has access to {document_id} already.", document_id=document_id)
    shared[document_id] = (*before, reader)
    world.effect("share_document", document_id, email=reader, role=role)
    return {
        "permission_id": identifier("PRM", document_id, reader, role),
        "status": "granted",
        "title": found.title,
        "owner_email": owner,
        "email": reader,
        "granted_at": THIS_MINUTE,
        "review_on": REVIEW_ON,
        "collaborators": [owner, *shared[document_id]],
        "collaborator_count": 1 + len(shared[document_id]),
    }
