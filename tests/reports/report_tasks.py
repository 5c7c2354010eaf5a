"""Small tasks of every level with their references: what the reports' tests are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Effect
from sealegs.tasks.graph import Binding, Branch, Constant, Deliverable, Field, Graph, Group, Node, Step, Task, UserInput
from sealegs.tasks.reference import ExpectedStep, Reference

Args = Mapping[str, Any]
LONG = (
    "I am planning the offsite for our sales team and need your help with a few things at once, so bear with me: "
    "we are leaving from Hamburg for Lisbon on 4 May 2026, the whole party has to be under the allowance of 5000 EUR, "
    "and finance wants every figure in euros, rounded to cents, with the rate that you used. Find what the flight and "
    "the hotel cost, put the insurance on top, check the sum against the allowance, book it only if it fits, and tell "
    "me the total, the booking code and the number of the expense report, so that I can forward all of it to Priya. "
) * 2


@dataclass(frozen=True)
class Doing:
    """A step before its bindings are read: where its arguments come from, and what its tool answers."""

    id: str
    tool: str
    arguments: Args
    output: Args
    effect: tuple[str, str] | None = None


@dataclass(frozen=True)
class Ways:
    """A group before that: its branches, and each export's field for each branch."""

    id: str
    branches: Mapping[str, tuple[Doing, ...]]
    exports: Mapping[str, tuple[str, ...]]


Plan = tuple[Doing | Ways, ...]


def _binding(ref: Any) -> Binding:
    if isinstance(ref, str) and ref.startswith("in."):
        return UserInput(ref[3:])
    if isinstance(ref, str) and "." in ref:
        node, _, path = ref.partition(".")
        return Field(node, path)
    return Constant(ref)


def _step(doing: Doing) -> Step:
    return Step(doing.id, doing.tool, {name: _binding(ref) for name, ref in doing.arguments.items()})


def _node(item: Doing | Ways) -> Node:
    if isinstance(item, Doing):
        return _step(item)
    branches = []
    for place, (name, doings) in enumerate(item.branches.items()):
        fields = {export: refs[place].partition(".") for export, refs in item.exports.items()}
        exports = {export: Field(step, path) for export, (step, _, path) in fields.items()}
        branches.append(Branch(name, tuple(map(_step, doings)), exports))
    return Group(item.id, tuple(branches))


def doings(plan: Plan) -> list[Doing]:
    """Every step of a plan, over all branches."""
    return [
        doing
        for item in plan
        for doing in ([item] if isinstance(item, Doing) else [d for b in item.branches.values() for d in b])
    ]


def value_of(binding: Binding, inputs: Args, outputs: Mapping[str, Any], graph: Graph) -> Any:
    """What a binding stands for, given the answers so far; None where nothing delivered it."""
    match binding:
        case UserInput(name):
            return inputs[name]
        case Constant(value):
            return value
        case Field(node, path):
            found = graph.by_id.get(node)
            if isinstance(found, Group):
                fields = [branch.exports[path] for branch in found.branches]
                return next((value_of(f, inputs, outputs, graph) for f in fields if f.node in outputs), None)
            return next(iter(paths.values_at(outputs.get(node, {}), path)), None)


def made(
    id: str, level: str, request: str, inputs: Args, plan: Plan, fields: Mapping[str, str]
) -> tuple[Task, Reference]:
    """A task of a plan with its reference; `fields` gives each deliverable's field."""
    graph = Graph(tuple(map(_node, plan)))
    outputs = {doing.id: doing.output for doing in doings(plan)}
    deliverables = []
    for label, ref in fields.items():
        node, _, path = ref.partition(".")
        deliverables.append(Deliverable(label, Field(node, path)))
    expected = {
        doing.id: ExpectedStep(
            {name: value_of(b, inputs, outputs, graph) for name, b in graph.steps[doing.id].arguments.items()},
            {},
            frozenset(),
            doing.output,
            (Effect(*doing.effect, {}),) if doing.effect else (),
        )
        for doing in doings(plan)
    }
    values = tuple(value_of(d.source, inputs, outputs, graph) for d in deliverables)
    return Task(id, level, request, inputs, graph, tuple(deliverables)), Reference(expected, values)


def line(n: int) -> tuple[Task, Reference]:
    """C1: five steps in a line."""
    price, euros = 400.5 + 10 * n, round((400.5 + 10 * n) * 0.92, 2)
    plan: Plan = (
        Doing(
            "flight",
            "search_flights",
            {"origin": "in.origin", "destination": "in.destination", "day": "in.day"},
            {"flight": f"TP{510 + n}", "price": price, "currency": "USD"},
        ),
        Doing(
            "euros",
            "convert_currency",
            {"amount": "flight.price", "source": "flight.currency", "target": "EUR"},
            {"amount": euros, "rate": 0.92},
        ),
        Doing(
            "insured",
            "add_travel_insurance",
            {"amount": "euros.amount", "travellers": "in.travellers"},
            {"total": round(euros + 31.4, 2), "policy": f"POL-{700 + n}"},
        ),
        Doing(
            "allowance",
            "check_allowance",
            {"total": "insured.total", "limit": "in.limit"},
            {"within": True, "left": round(5000 - euros - 31.4, 2), "code": f"OK-{40 + n}"},
        ),
        Doing(
            "booked",
            "book_flight",
            {"flight": "flight.flight", "approval": "allowance.code"},
            {"booking": f"BK-{9100 + n}"},
            ("reserve", f"TP{510 + n}"),
        ),
    )
    inputs = {"origin": "HAM", "destination": "LIS", "day": "2026-05-04", "travellers": 1, "limit": 5000}
    fields = {"the total": "insured.total", "the booking code": "booked.booking"}
    return made(f"c1-trip-{n}", "C1", LONG if n == 0 else "Book me on a flight to Lisbon.", inputs, plan, fields)


def single(n: int) -> tuple[Task, Reference]:
    """C2: a group of three branches, two of one call and one of two."""
    warm, there = 21.5 + n, {"lat": "place.lat", "lon": "place.lon"}
    forecast = Ways(
        "forecast",
        {
            "service": (Doing("service", "get_forecast", there, {"temperature": warm}),),
            "almanac": (Doing("almanac", "look_up_climate_normals", {"city": "in.city"}, {"temperature": warm}),),
            "station": (
                Doing("nearest", "find_weather_station", there, {"station": f"ST-{50 + n}"}),
                Doing("reading", "read_station", {"station": "nearest.station"}, {"temperature": warm}),
            ),
        },
        {"temperature": ("service.temperature", "almanac.temperature", "reading.temperature")},
    )
    plan: Plan = (
        Doing("place", "geocode_city", {"city": "in.city"}, {"lat": 38.72, "lon": -9.14}),
        forecast,
        Doing("advice", "suggest_clothing", {"temperature": "forecast.temperature"}, {"layers": 12 + n}),
        Doing("list", "make_packing_list", {"layers": "advice.layers", "days": "in.days"}, {"items": 24 + n}),
        Doing("note", "save_note", {"items": "list.items"}, {"note": f"NOTE-{300 + n}"}, ("note", f"packing {n}")),
    )
    inputs = {"city": "Lisbon", "days": 5}
    fields = {"the temperature": "forecast.temperature", "the note's number": "note.note"}
    return made(
        f"c2-packing-{n}", "C2", "What should I pack for five days in Lisbon? Save the list.", inputs, plan, fields
    )


def several(n: int) -> tuple[Task, Reference]:
    """C3: a group both of whose branches take several calls."""
    owed = 1280.75 + n
    settle = Ways(
        "balance",
        {
            "statement": (
                Doing("opened", "open_statement", {"account": "account.number"}, {"statement": f"S-{80 + n}"}),
                Doing("summed", "sum_statement_lines", {"statement": "opened.statement"}, {"sum": owed}),
            ),
            "ledger": (
                Doing("found", "find_ledger_entries", {"account": "account.number"}, {"entries": f"E-{60 + n}"}),
                Doing("netted", "net_entries", {"entries": "found.entries"}, {"net": owed - 10}),
                Doing("fees", "add_outstanding_fees", {"net": "netted.net"}, {"sum": owed}),
            ),
        },
        {"sum": ("summed.sum", "fees.sum")},
    )
    plan: Plan = (
        Doing("account", "find_account", {"holder": "in.holder"}, {"number": f"AC-{11000 + n}"}),
        settle,
        Doing("rate", "get_late_fee_rate", {"account": "account.number"}, {"rate": 0.031}),
        Doing("fee", "compute_late_fee", {"sum": "balance.sum", "rate": "rate.rate"}, {"fee": round(owed * 0.031, 2)}),
        Doing(
            "sent",
            "send_reminder",
            {"account": "account.number", "fee": "fee.fee"},
            {"letter": f"LT-{20 + n}"},
            ("send", f"AC-{11000 + n}"),
        ),
    )
    fields = {"the late fee": "fee.fee", "the letter's number": "sent.letter"}
    request = "How much late fee does Okonkwo Ltd owe us? Send them a reminder with it."
    return made(f"c3-reminder-{n}", "C3", request, {"holder": "Okonkwo Ltd"}, plan, fields)


def parallel(n: int) -> tuple[Task, Reference]:
    """C4: three groups, two of them side by side, one with three branches."""
    rate, miles = 1.083, 88.4 + n
    fx = Ways(
        "rate",
        {
            "direct": (Doing("quote", "get_exchange_rate", {"pair": "order.pair"}, {"rate": rate}),),
            "table": (Doing("fixing", "get_central_bank_fixing", {"pair": "order.pair"}, {"rate": rate}),),
            "cross": (
                Doing("base", "get_usd_cross_of_base_currency", {"pair": "order.pair"}, {"cross": 1.30}),
                Doing("divided", "divide_crosses", {"cross": "base.cross", "pair": "order.pair"}, {"rate": rate}),
            ),
        },
        {"rate": ("quote.rate", "fixing.rate", "divided.rate")},
    )
    way = Ways(
        "distance",
        {
            "route": (
                Doing("planned", "plan_route", {"to": "order.address"}, {"route": f"R-{40 + n}"}),
                Doing("measured", "measure_route", {"route": "planned.route"}, {"miles": miles}),
            ),
            "zones": (
                Doing("zone", "find_shipping_zone", {"to": "order.address"}, {"zone": f"Z-{10 + n}"}),
                Doing("span", "zone_distance", {"zone": "zone.zone"}, {"miles": miles}),
            ),
        },
        {"miles": ("measured.miles", "span.miles")},
    )
    slot = Ways(
        "slot",
        {
            "courier": (
                Doing(
                    "courier",
                    "reserve_courier_slot",
                    {"cost": "cost.cost"},
                    {"slot": f"SL-{70 + n}"},
                    ("slot", f"order {n}"),
                ),
            ),
            "depot": (
                Doing(
                    "depot",
                    "reserve_depot_slot",
                    {"cost": "cost.cost"},
                    {"slot": f"SL-{70 + n}"},
                    ("slot", f"order {n}"),
                ),
            ),
        },
        {"slot": ("courier.slot", "depot.slot")},
    )
    plan: Plan = (
        Doing(
            "order",
            "get_order",
            {"order": "in.order"},
            {"pair": "EURGBP", "address": "14 Quay Street", "weight": 18.2, "price": 219.0},
        ),
        fx,
        way,
        Doing("price", "convert_price", {"price": "order.price", "rate": "rate.rate"}, {"price": 237.18}),
        Doing("freight", "freight_class", {"weight": "order.weight"}, {"class": f"FC-{20 + n}"}),
        Doing(
            "cost", "compute_shipping_cost", {"miles": "distance.miles", "class": "freight.class"}, {"cost": 41.75 + n}
        ),
        slot,
        Doing(
            "invoice",
            "create_invoice",
            {"price": "price.price", "cost": "cost.cost", "slot": "slot.slot"},
            {"invoice": f"INV-{6600 + n}", "total": 278.93 + n},
            ("invoice", f"order {n}"),
        ),
        Doing(
            "mailed",
            "email_invoice",
            {"invoice": "invoice.invoice", "to": "in.email"},
            {"message": f"MSG-{810 + n}"},
            ("send", f"INV-{6600 + n}"),
        ),
    )
    inputs = {"order": f"OR-{n}", "email": "priya@example.com"}
    fields = {"the invoice total": "invoice.total", "the message's number": "mailed.message"}
    request = "Ship the order to the customer in pounds and mail the invoice to priya@example.com."
    return made(f"c4-shipping-{n}", "C4", request, inputs, plan, fields)


def tasks(each: int = 3) -> list[tuple[Task, Reference]]:
    """Tasks of every level, as many of each."""
    return [make(n) for make in (line, single, several, parallel) for n in range(each)]
