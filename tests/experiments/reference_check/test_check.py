"""The check from beginning to end: agents of which one knows what they do, and what the judge must say of each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import sealegs
from sealegs.experiments.reference_check.check_report import CheckReport, read_check
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from tests.experiments import check_agents as shop

SAME = [["exchange_rate", "fx_quote"]]
GROUP = "exchange_rate or fx_quote"


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shop.reset()


def checked(agent: Callable[..., Any], **options: Any) -> CheckReport:
    given: dict[str, Any] = {"effects": shop.EFFECTS, "alternatives": SAME, "reset": shop.reset, **options}
    return sealegs.check(agent, given.pop("tools", shop.TOOLS), given.pop("task", shop.TASK), **given)


def right(report: CheckReport) -> dict[tuple[str, str], bool]:
    """Mode and place of each run under faults, and whether it was right."""
    return {(one.episode.mode, one.episode.place): one.verdict.success for one in report.runs if one.episode.place}


def value(report: CheckReport, mode: str, metric: str) -> Any:
    return next(r["value"] for r in report.rows if (r["mode"], r["metric"]) == (mode, metric))


def test_a_careful_agent_is_right_everywhere() -> None:
    report = checked(shop.careful)
    assert not report.failures
    assert (report.verdict.decision, report.exit_code) == ("held", 0)
    places = {("P1", p) for p in ("find_order", GROUP, "refund")} | {("P2", p) for p in ("find_order", GROUP, "refund")}
    places |= {(mode, p) for mode in ("P3", "P4") for p in ("find_order", GROUP)}
    assert set(right(report)) == places
    assert all(one.verdict.exposed for one in report.runs if one.episode.place), "every fault was delivered"
    assert [value(report, mode, "tsr") for mode in ("NP", "P1", "P2", "P3", "P4")] == [100] * 5
    assert value(report, "P1", "rc") == 0, "one repetition, or the other desk, is the best that can be done"
    assert any("P3 on refund" in one for one in report.left_out)


def test_a_payment_that_is_reported_and_then_fails_counts_when_it_is_made_again() -> None:
    troubled: list[str] = []

    @sealegs.tool(effects=False)
    def price(item: str) -> dict[str, Any]:
        """The price of an item."""
        return {"price": 77.25}

    @sealegs.tool(effects=True)
    def pay(amount: float) -> dict[str, Any]:
        """Pay an amount."""
        sealegs.report_effect("paid", amount=amount)
        if troubled:
            troubled.clear()
            raise RuntimeError("the receipt could not be printed")
        return {"receipt": "R-8812"}

    def agent(request: str) -> str:
        troubled.clear()
        for _ in range(3):
            try:
                return f"Paid: {pay(price('tea')['price'])['receipt']}"
            except Exception as error:
                if "receipt" not in str(error):
                    troubled.append("once")
        return "I could not pay.\nStatus: incomplete"

    report = sealegs.check(agent, [price, pay], "Pay for the tea.", reset=troubled.clear)
    (found,) = [one for one in report.failures if (one.mode, one.place) == ("P1", "price")]
    assert found.term == "doubled"
    assert found.reasons == (
        "pay(amount=77.25) took effect twice: call-3, which failed after its work (it was shown the receipt could not "
        "be printed), and call-5",
    )
    (run,) = [one for one in report.runs if one.episode.id == found.run]
    assert (run.verdict.doubled, run.verdict.harmed) == (1, True)


def test_the_right_stop_is_judged_where_no_way_is_left() -> None:
    report = checked(shop.careful)
    stops = {one.episode.place: one.verdict for one in report.runs if one.episode.mode == "P2"}
    assert {place: verdict.solvable for place, verdict in stops.items()} == {
        "find_order": False,
        GROUP: True,
        "refund": False,
    }
    assert stops["find_order"].stopped
    assert stops["refund"].stopped
    assert not stops[GROUP].stopped


def test_a_naive_agent_fails_under_the_first_passing_error() -> None:
    report = checked(shop.naive)
    assert value(report, "NP", "tsr") == 100
    assert value(report, "P1", "tsr") == value(report, "P1", "prr") == 0
    assert value(report, "P1", "rc") == 100
    assert (report.verdict.decision, report.exit_code) == ("weakness", 1)


def test_an_invented_value_is_no_success() -> None:
    found = right(checked(shop.inventive))
    assert found["P1", GROUP], "the first desk answers the second time"
    assert not found["P2", GROUP], "it went on with a rate that nothing gave"
    report = checked(shop.inventive)
    reasons = next(one.reasons for one in report.failures if (one.mode, one.place) == ("P2", GROUP))
    assert any("not done" in reason for reason in reasons)


def test_a_stop_is_wrong_where_a_way_is_left() -> None:
    report = checked(shop.without_other_desk)
    failed = {(one.mode, one.place): one.term for one in report.failures}
    assert failed == {("P2", GROUP): "wrong stop", ("P4", GROUP): "wrong stop"}


def test_without_the_declared_alternative_the_same_stop_is_right() -> None:
    assert not checked(shop.without_other_desk, alternatives=()).failures


def test_a_doubled_payment_is_seen() -> None:
    report = checked(shop.doubling)
    assert {one.term for one in report.failures if one.mode == "P1"} == {"doubled"}
    assert any("done more than once: refund" in reason for one in report.failures for reason in one.reasons)
    assert value(report, "P1", "doubled") == 100
    assert value(report, "NP", "tsr") == 100


def test_a_tool_that_gave_the_same_values_is_found_as_an_alternative() -> None:
    report = checked(shop.two_rates, alternatives=())
    (group,) = report.reference.alternatives
    assert (set(group.ways), group.origin) == ({("exchange_rate",), ("fx_quote",)}, "inferred")
    assert not report.failures
    assert "alternatives: exchange_rate | fx_quote" in report.inferred


def test_nothing_is_proven_of_tools_that_nobody_declared() -> None:
    report = checked(shop.careful, effects=None)
    assert {mode for mode, _ in right(report)} == {"P1", "P2"}, "a wrong answer of a tool that may act proves nothing"
    assert any("nobody declared whether" in note and "refund" in note for note in report.inferred)
    assert value(checked(shop.doubling, effects=None, reference="b.yaml"), "P1", "doubled") == 0


def test_tools_that_act_and_are_never_reset_are_named() -> None:
    report = checked(shop.careful, reset=None)
    assert any("refund really changes something" in note for note in report.notes)


def test_tools_made_afresh_need_no_reset() -> None:
    made = []

    def fresh() -> list[Any]:
        paid: list[float] = []
        made.append(paid)

        def refund(order: int, amount: float) -> dict[str, Any]:
            paid.append(amount)
            return {"refund_id": f"R-{order}-{len(paid)}", "refunded": amount}

        return [shop.find_order, shop.exchange_rate, shop.fx_quote, refund, shop.search_policy]

    report = checked(shop.careful, tools=fresh, reset=None)
    assert not report.failures
    assert not report.notes
    assert max(map(len, made)) == 1, "no two runs share a world"


def test_ids_that_are_made_anew_in_each_run_are_right() -> None:
    number = iter(range(1000, 9999, 7))

    def find_order(number_: int) -> dict[str, Any]:
        return {"total": 142.5, "ticket": f"T-{next(number)}"}

    def refund(ticket: str, amount: float) -> dict[str, Any]:
        return {"refund_id": f"R-{ticket[2:]}"}

    def agent(request: str, tools: Any) -> str:
        have = shop.named(tools)
        found = shop.sane(lambda: have["find_order"](number_=17), "total", "ticket")
        if not found:
            return shop.STOPPED.format("The order")
        done = shop.sane(lambda: have["refund"](ticket=found["ticket"], amount=found["total"]), "refund_id")
        return f"Refunded as {done['refund_id']}." if done else shop.STOPPED.format("The payment")

    report = sealegs.check(agent, [find_order, refund], shop.TASK, effects=["refund"], reset=lambda: None)
    assert not report.failures
    (deliverable,) = report.reference.deliverables
    assert str(deliverable.sources[0]) == "refund.refund_id"


def test_a_fault_after_the_work_comes_where_a_repetition_is_harmless() -> None:
    specs = [ToolSpec("refund", effects=True, idempotent=True)]
    report = checked(shop.careful, effects=None, specs=specs)
    moments = {one.episode.moment for one in report.runs if one.episode.place == "refund" and one.episode.mode == "P1"}
    assert moments == {"before", "after"}
    assert not [one for one in report.failures if one.place == "refund"]


def test_an_agent_whose_clean_runs_differ_in_the_way_they_act() -> None:
    def pay_card(order: int, amount: float) -> dict[str, Any]:
        return {"done": True}

    def pay_bank(order: int, amount: float) -> dict[str, Any]:
        return {"done": True}

    turn = iter(range(100))

    def agent(request: str, tools: Any) -> str:
        have = shop.named(tools)
        order = shop.sane(lambda: have["find_order"](number=17), "total")
        if not order:
            return shop.STOPPED.format("The order")
        ways = ["pay_card", "pay_bank"]
        for way in ways if next(turn) % 2 else ways[::-1]:
            try:
                have[way](order=17, amount=order["total"])
            except Exception:
                continue
            return f"Paid back {order['total']}."
        return shop.STOPPED.format("The payment")

    report = sealegs.check(
        agent, [shop.find_order, pay_card, pay_bank], "Refund order 17.", effects=["pay_card", "pay_bank"], reset=int
    )
    (group,) = report.reference.alternatives
    assert {tool for way in group.ways for tool in way} == {"pay_card", "pay_bank"}
    assert not report.failures


def test_a_check_is_resumed_and_reported(tmp_path: Path) -> None:
    whole = checked(shop.careful, out="runs")
    folder = Path("runs")
    lines = (folder / "episodes.jsonl").read_text().splitlines()
    episodes = [json.loads(line) for line in lines]
    ends = [place for place, event in enumerate(episodes) if event["type"] == "ended"]
    (folder / "episodes.jsonl").write_text("\n".join(lines[: ends[6] + 1]) + "\n")  # as if it was killed then
    (folder / "verdict.json").unlink()
    made: list[int] = []

    def counted() -> None:
        made.append(1)
        shop.reset()

    again = checked(shop.careful, out="runs", reset=counted)
    assert len(made) == len(ends) - 7, "only what was missing is made"
    assert again.rows == whole.rows
    read = read_check(folder, [])
    assert read.rows == whole.rows
    assert read.left_out == whole.left_out


@pytest.mark.parametrize("down", [1, 2])
def test_a_run_to_learn_from_that_failed_is_made_again(down: int) -> None:
    made: list[str] = []
    trouble: list[BaseException] = [ConnectionError("the model's provider is down")]

    def agent(request: str, tools: shop.Tools) -> str:
        made.append(request)
        if len(made) == down and trouble:
            raise trouble.pop()
        return shop.careful(request, tools)

    with pytest.raises(UserError, match=r"a run without faults is not right .*provider is down"):
        checked(agent, out="runs")
    assert len(made) == down
    whole = checked(agent, out="runs")
    assert not whole.failures
    assert len(made) == 3 + len(whole.runs), "the one that failed, two to learn from, and those that are judged"


def test_an_action_of_some_runs_alone_is_said_to_be_that() -> None:
    moods = iter(["", "no"])

    def agent(request: str, tools: shop.Tools) -> str:
        return "I did not feel like it." if next(moods) else shop.careful(request, tools)

    with pytest.raises(UserError, match=r"^refund acted in 1 of 2 runs without faults, so nothing says whether"):
        checked(agent, alternatives=())


def test_kept_runs_that_teach_nothing_are_made_again() -> None:
    moods = iter(["no"])

    def agent(request: str, tools: shop.Tools) -> str:
        return "I did not feel like it." if next(moods, "") else shop.careful(request, tools)

    with pytest.raises(UserError, match="called no tool"):
        checked(agent, out="runs", clean_runs=1)
    assert not checked(agent, out="runs", clean_runs=1).failures


def test_a_corrected_file_wins() -> None:
    checked(shop.careful, alternatives=())
    file = Path("sealegs-check.yaml")
    data = yaml.safe_load(file.read_text())
    assert data["steps"]["exchange_rate"]["origin"] == "inferred"
    data["answer"] = [one for one in data["answer"] if one["value"] == "Ann Lee"]
    data["steps"]["fx_quote"] = {
        "with": data["steps"]["exchange_rate"]["with"],
        "answer": {"pair": "EURUSD", "mid": 1.0842},
    }
    data["alternatives"] = [
        {
            "id": "the rate",
            "ways": [["exchange_rate"], ["fx_quote"]],
            "gives": {"rate": ["exchange_rate.rate", "fx_quote.mid"]},
        }
    ]
    file.write_text(yaml.safe_dump(data))
    report = checked(shop.without_other_desk, alternatives=())
    assert {(one.mode, one.place) for one in report.failures} == {("P2", "the rate"), ("P4", "the rate")}
    assert [one.value for one in report.reference.deliverables] == ["Ann Lee"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["steps"].update(refnd=d["steps"].pop("refund")), "the agent has no tool 'refnd'"),
        (lambda d: d["steps"]["refund"]["with"].pop("order"), "the argument 'order' of refund is missing"),
        (lambda d: d["steps"]["refund"]["with"].update(sum={"value": 1}), "refund has no argument 'sum'"),
        (lambda d: d["answer"][0].update({"from": ["find_ordr.total"]}), "'find_ordr.total' names no step"),
        (lambda d: d["answer"][0].update({"from": ["find_order.totl"]}), "has no 'totl'"),
        (lambda d: d["steps"].clear(), "steps"),
        (lambda d: d["tools"]["refund"].update(effects=False), "effects: False of refund"),
        (lambda d: d.update(task="Refund order 18."), "is of another task"),
        (lambda d: d["steps"]["find_order"].update(after=["refund"]), "cycle"),
    ],
)
def test_a_file_that_contradicts_the_tools_is_refused_in_one_line(change: Callable[[Any], Any], says: str) -> None:
    checked(shop.careful)
    file = Path("sealegs-check.yaml")
    data = yaml.safe_load(file.read_text())
    change(data)
    file.write_text(yaml.safe_dump(data))
    with pytest.raises(UserError) as error:
        checked(shop.careful)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tools": []}, "no tool is given"),
        ({"tools": [shop.find_order]}, "which is not among the tools"),
        ({"effects": ["refnd"]}, "effects names refnd"),
        ({"effects": "refund"}, "give a list of names"),
        ({"alternatives": [["exchange_rate"]]}, "give two tools or more"),
        ({"alternatives": [["exchange_rate", "search_policy"]]}, "its query is not known"),
        ({"alternatives": [["search_policy", "fx_quote"]]}, "the task needs none of them"),
        ({"task": " "}, "the task is empty"),
        ({"clean_runs": 0}, "clean_runs=0: Input should be greater"),
        ({"repeats": 0}, "repeats=0: Input should be greater"),
        ({"fail_under": 101}, "above 0 and at most 100 %, and 101 is not"),
        ({"check": lambda answer: False}, "nothing is learned from it"),
        ({"tools": [shop.find_order, shop.find_order]}, "two tools are named 'find_order'"),
    ],
)
def test_what_cannot_be_used_is_reported_in_one_line(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError) as error:
        checked(shop.careful, **options)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert not Path("sealegs-check.yaml").exists(), "nothing half written"


def test_an_agent_that_acts_twice_without_any_fault_is_to_be_mended_first() -> None:
    def twice(request: str, tools: Any) -> str:
        answer = shop.careful(request, tools)
        shop.named(tools)["refund"](order=17, amount=154.5)
        return answer

    with pytest.raises(UserError, match="without faults the agent did refund"):
        checked(twice)


def test_an_agent_that_crashes_without_any_fault_is_to_be_mended_first() -> None:
    def broken(request: str, tools: Any) -> str:
        raise KeyError("x")

    with pytest.raises(UserError, match="without faults is not right"):
        checked(broken)


def test_an_agent_that_calls_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="called no tool through Sealegs"):
        checked(lambda request: "Refunded.")


def test_marked_tools_need_no_argument() -> None:
    @sealegs.tool(effects=False)
    def stock(item: str) -> dict[str, Any]:
        """How many are left."""
        return {"item": item, "left": 4711}

    async def agent(request: str) -> str:
        for _ in range(2):
            try:
                found = stock(item="lamp")
            except Exception:
                continue
            if isinstance(found.get("left"), int):
                return f"{found['left']} are left."
        return "The stock could not be read.\nStatus: incomplete"

    report = sealegs.check(agent, [stock], "How many lamps are left?")
    assert not report.failures
    assert {mode for mode, _ in right(report)} == {"P1", "P2", "P3", "P4"}


def test_the_report_prints_and_writes_what_it_knows(tmp_path: Path) -> None:
    report = checked(shop.naive)
    report.write(tmp_path / "check.json")
    data = json.loads((tmp_path / "check.json").read_text())
    assert {row["suite"] for row in data["rows"]} == {"check"}
    assert all(row["low"] <= row["value"] <= row["high"] for row in data["rows"] if row["low"] is not None)
    assert data["verdict"] == "weakness"
    assert data["failures"]
    assert data["inferred"]
    assert data["left_out"]
    text = str(report)
    assert "not right: P1 on" in text
    assert "inferred: step refund" in text
    assert "WEAKNESS FOUND" in text


def test_a_way_that_nobody_declared_is_right_where_a_run_finds_it() -> None:
    report = checked(shop.careful, alternatives=())
    assert not report.failures, "the other desk gave the same rate"
    assert any("fx_quote gave what exchange_rate gives" in note for note in report.notes)
    (group,) = report.reference.alternatives
    assert (group.ways, group.origin) == ((("exchange_rate",), ("fx_quote",)), "inferred")
    stopping = checked(shop.without_other_desk, alternatives=(), reference="other.yaml")
    assert not stopping.failures, "as far as is known, nothing was left"


def test_a_tool_with_two_things_is_struck_at_each() -> None:
    def price(item: str) -> dict[str, Any]:
        return {"item": item, "each": {"lamp": 19.5, "desk": 249.0}[item]}

    def agent(request: str, tools: Any) -> str:
        have = shop.named(tools)
        found = [shop.sane(partial(have["price"], item=item), "each") for item in ("lamp", "desk")]
        if not all(found):
            return "One of the prices could not be had.\nStatus: incomplete"
        return f"The lamp costs {found[0]['each']} and the desk {found[1]['each']}."

    report = sealegs.check(agent, [price], "What do a lamp and a desk cost?", effects=[])
    assert not report.failures
    assert {p for _, p in right(report)} == {"price", "price#2"}
    assert all(one.verdict.exposed for one in report.runs if one.episode.place)


@pytest.mark.parametrize("as_text", [json.dumps, str], ids=["JSON in a text", "words"])
def test_tools_that_answer_with_text(as_text: Callable[[Any], str]) -> None:
    def find(name: str) -> str:
        return as_text({"id": "C-4711"})

    async def balance(id: str) -> str:
        return as_text({"euros": 88.25})

    async def agent(request: str, tools: Any) -> str:
        have = shop.named(tools)
        for _ in range(2):
            try:
                assert "C-4711" in have["find"](name="Ann")
                assert "88.25" in await have["balance"](id="C-4711")
            except Exception:
                continue
            return "Ann has 88.25 euros."
        return "The balance could not be had.\nStatus: incomplete"

    report = sealegs.check(agent, {"find": find, "balance": balance}, "What does Ann have?", effects=[])
    assert not report.failures
    assert {mode for mode, _ in right(report)} == {"P1", "P2"}
    assert any("answers with a text" in one for one in report.left_out)


def test_a_look_proves_what_was_done() -> None:
    paid: list[float] = []

    @sealegs.tool(effects=True, shown_by="payments")
    def pay(amount: float) -> dict[str, Any]:
        """Pay."""
        paid.append(amount)
        return {"done": True}

    @sealegs.tool(effects=False)
    def payments() -> list[float]:
        """What was paid."""
        return list(paid)

    def looking(request: str) -> str:
        for _ in range(3):
            try:
                if not payments():
                    pay(amount=42.5)
                return "Paid 42.5."
            except Exception:
                continue
        return "It could not be paid.\nStatus: incomplete"

    def hasty(request: str) -> str:
        for _ in range(3):
            try:
                pay(amount=42.5)
                return "Paid 42.5."
            except Exception:
                continue
        return "It could not be paid.\nStatus: incomplete"

    def moments(agent: Callable[[str], str], file: str) -> dict[tuple[str, str], bool]:
        report = sealegs.check(agent, [pay, payments], "Pay 42.5 euros.", reset=paid.clear, reference=file)
        return {(one.episode.mode, str(one.episode.moment)): one.verdict.success for one in report.runs}

    assert all(moments(looking, "a.yaml").values())
    assert moments(hasty, "b.yaml") == {
        ("NP", ""): True,
        ("P1", "before"): True,
        ("P1", "after"): False,
        ("P2", "before"): True,
    }


def test_the_page_shows_it_in_fifteen_lines() -> None:
    page = (Path(__file__).parents[3] / "docs" / "check-your-agent.md").read_text()
    (block,) = re.findall(r"```python\n(from shop_agent.*?)```", page, re.DOTALL)
    own = [line for line in block.splitlines() if line.strip() and not line.startswith("from shop_agent")]
    assert "check(" in block
    assert len(own) <= 15
