"""The proof: its world and rows, the batched writing, what is kept from training, going on after a kill, learning."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli import app
from sealegs.faults.user_error import UserError
from sealegs.scoring import judge
from sealegs.training.data.data_recipe import read_data_recipe
from sealegs.training.data.trajectory_player import NoTrajectory, Trajectory, play_trajectory
from sealegs.training.proof import BOTH, CODES, KINDS, SEEN, SETS, TOOLS
from sealegs.training.proof.orders import CELLS, cell_of, order_of_episode, order_of_row
from sealegs.training.proof.synthetic_failures import coded_errors, synthetic_bank, synthetic_kinds
from sealegs.training.proof.synthetic_tasks import synthetic_task
from sealegs.training.proof.synthetic_world import SERVICES, code, is_unseen_tool, service_of, tools_of_service
from tests import needs

NEEDED = ("torch", "transformers", "peft", "trl", "datasets", "accelerate")
trains = pytest.mark.skipif(any(importlib.util.find_spec(name) is None for name in NEEDED), reason=needs.TRAINING)
EPISODES = [(name, cell) for name in SETS for cell in CELLS if name != CODES or cell not in ("P3", "P4", "clean")]


def test_tools_of_a_service_agree_and_none_is_both_new_and_known() -> None:
    for service in SERVICES:
        known, new = tools_of_service(service, new=False), tools_of_service(service, new=True)
        assert len(known) > 50
        assert len(new) > 10
        assert not set(known) & set(new)
        assert all(service_of(name) == service and is_unseen_tool(name) is (name in new) for name in known + new)


@pytest.mark.parametrize("key", range(30))
def test_a_task_is_answered_alike_whichever_tools_are_taken(key: int) -> None:
    made = synthetic_task("t", key)
    right, task = made.variant.right, made.variant.task
    value = task.inputs["ref"]
    for service in task.request.split()[:-1]:
        value = code(service, value)
    assert right.deliverables == (value,)
    assert {step.tool for step in task.graph.walk()} <= set(made.offered)
    assert made.offered == synthetic_task("t", key).offered


def test_the_world_is_not_always_the_same() -> None:
    assert len({synthetic_task("t", key).variant.task.request for key in range(200)}) > 195


@pytest.mark.parametrize(("name", "cell"), EPISODES)
def test_the_planner_recovers_in_every_cell_of_every_set_and_the_failure_is_delivered(name: str, cell: str) -> None:
    for number in range(4):
        order = order_of_episode(name, cell, 0, number)
        assert cell_of(order) == cell
        made = play_trajectory(order)
        assert made.judged.success, made.judged.reasons
        assert made.judged.exposed is (cell != "clean")
        assert made.judged.solvable is (cell != "dead end")


@pytest.mark.parametrize(("name", "cell"), EPISODES)
def test_sets_hold_what_their_names_say(name: str, cell: str) -> None:
    for number in range(6):
        order = order_of_episode(name, cell, 0, number)
        assert all(is_unseen_tool(spec.name) is (name in (TOOLS, BOTH)) for spec in order.specs)
        if order.kind is not None:
            known = order.kind in (*synthetic_kinds(new=False), *coded_errors(new=False))
            assert known is (name in (SEEN, TOOLS))


def rows(recipe: str, count: int) -> list[Trajectory]:
    found: list[Trajectory] = []
    for number in range(count):
        for trial in range(50):
            try:
                found.append(
                    play_trajectory(
                        order_of_row(read_data_recipe(recipe), "test", number, trial),
                        read_data_recipe(recipe).continuation,
                    )
                )
                break
            except NoTrajectory:
                continue
    return found


def test_rows_are_composed_as_the_recipe_says() -> None:
    made = rows("default", 200)
    failing = [one for one in made if one.at is not None]
    assert 0.7 < len(failing) / len(made) < 0.9
    assert 0.1 < sum(bool(one.exemplar) for one in failing) / len(failing) < 0.4
    doings = {doing for one in failing for doing in one.doings}
    assert {"tries again", "switches", "stops"} <= doings
    assert all(one.judged.success for one in made)
    assert all(one.messages[-1]["role"] == "tool" for one in rows("failure-only", 20))


def test_the_bank_knows_codes_and_kinds_of_training_and_no_others() -> None:
    known = {one.name for one in synthetic_bank().exemplars}
    assert {kind.name.lower() for kind in coded_errors(new=True)} <= known
    assert {kind.name.replace("_", "-") for kind in synthetic_kinds(new=False)} <= known
    assert not {kind.name.replace("_", "-") for kind in synthetic_kinds(new=True)} & known


def test_what_a_code_means_is_chance() -> None:
    lasting = [kind.lasts == "permanent" for kind in (*coded_errors(new=False), *coded_errors(new=True))]
    assert 0.4 < sum(lasting) / len(lasting) < 0.6


@trains
def test_a_leak_is_found_in_the_text_of_rows(tmp_path: Path) -> None:
    from sealegs.training.proof.leak_check import HoldoutLeak, check_apart
    from sealegs.training.proof.proof_inputs import distinct_rows
    from sealegs.training.proof.symbols import symbols

    orders = [order_of_episode(name, cell, 0, 0) for name, cell in EPISODES]
    lines = [
        *distinct_rows(read_data_recipe("default"), "test", 40),
        *(json.dumps(symbols(0, nth)) for nth in range(200)),
    ]
    path = tmp_path / "train.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert check_apart([path], orders) == 240
    new = next(kind for kind in synthetic_kinds(new=True) if kind.shown is not None and kind.shown.type)
    assert new.shown is not None
    kept_tool, kept_code = tools_of_service("lift", new=True)[0], coded_errors(new=True)[0].name
    changed = json.loads(lines[0])
    changed["messages"][0]["content"] = orders[3].variant.task.request
    for text in (
        lines[0].replace('"role"', f'"x": "{kept_tool}", "role"', 1),
        lines[0].replace('"role"', f'"x": "{kept_code}", "role"', 1),
        lines[0].replace('"role"', f'"x": "{new.shown.message}", "role"', 1),
        json.dumps(changed),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(HoldoutLeak):
            check_apart([path], orders)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A speaker of random weights."""
    from sealegs.training.proof.evaluating import load_proof_model
    from sealegs.training.proof.proof_inputs import write_model, write_tokenizer
    from sealegs.training.proof.sizes import PALADIN, ModelShape

    folder = tmp_path_factory.mktemp("small")
    write_tokenizer(folder / "tokens", PALADIN)
    write_model(folder / "model", folder / "tokens", ModelShape(width=32, inner=64, layers=2), 0)
    return load_proof_model(folder / "model", None)


@trains
def test_what_the_model_reads_is_what_training_rows_look_like(small: Any) -> None:
    from sealegs.training.conversation_rows import RowConversation
    from sealegs.training.data.exporters.trl_rows import offered_tools
    from sealegs.training.data.trajectory_player import TrajectoryPlayer
    from sealegs.training.encoding import encode, render_conversation
    from sealegs.training.proof.batched_rollout import ProofModel
    from sealegs.training.proof.tokens import END

    assert isinstance(small, ProofModel)
    order = order_of_episode(SEEN, "P4", 0, 0)
    made = play_trajectory(order)
    tools = offered_tools(order.specs)
    spoken = frozenset(nth for nth, m in enumerate(made.messages) if m["role"] == "assistant")
    whole = encode(RowConversation(tuple(made.messages), tools, spoken), small.tokenizer, small.template)
    player, ids = TrajectoryPlayer(order), []
    for message in made.messages:
        if message["role"] == "assistant":
            ids += small.unread_tokens(player)
            player.made.messages.append(message)
            text, _ = render_conversation(
                RowConversation(tuple(player.made.messages), tools, frozenset()), small.tokenizer, small.template
            )
            reply = text[text.rindex("<|assistant|>") + len("<|assistant|>") :].removesuffix(END)
            wrote = small.tokenizer(reply, add_special_tokens=False)["input_ids"]
            content, use = small.read(wrote, player)
            assert content == message["content"]
            calls = [call["function"] for call in message.get("tool_calls", ())]
            assert [(c["name"], c["arguments"]) for c in calls] == ([(use.tool, use.arguments)] if use else [])
            ids += [*wrote, small.tokenizer.convert_tokens_to_ids(END)]
        elif message["role"] == "tool":
            player.made.messages.append(message)
    assert ids == whole.input_ids


@trains
def test_writing_side_by_side_is_writing_alone(small: Any) -> None:
    """The batch with its cache and holes against one plain pass over the whole text for every token."""
    import torch

    from sealegs.training.proof.batched_rollout import BatchedKVCache

    news = [[[5, 9, 12, 40], [7], [8, 30, 31]], [[6], [22, 23, 24, 25, 26], []], [[3] * 9, [], [44, 45]]]
    mind, kept = BatchedKVCache(small.model, 3), [list[int]() for _ in range(3)]
    with torch.inference_mode():
        for turn in range(3):
            tokens = [news[row][turn] for row in range(3)]
            likeliest = mind.feed(tokens)
            for row in range(3):
                kept[row] += tokens[row]
                if tokens[row]:
                    alone = small.model(torch.tensor([kept[row]])).logits[0, -1]
                    assert likeliest[row] == int(alone.argmax())
        mind.keep([2, 0])
        likeliest = mind.feed([[50, 51], [52]])
        for place, row, more in ((0, 2, [50, 51]), (1, 0, [52])):
            assert likeliest[place] == int(small.model(torch.tensor([kept[row] + more])).logits[0, -1].argmax())


@trains
def test_a_model_that_babbles_recovers_from_nothing_and_stays_in_the_denominator(small: Any) -> None:
    from sealegs.training.proof.evaluating import evaluate_model, parse_verdict

    found = [parse_verdict(json.loads(line), "0")[1] for line in evaluate_model(small, (SEEN,), 2, retrieval=True)]
    assert len(found) == 12
    assert not any(result.verdict.success for result in found)


def test_a_played_trajectory_is_judged_again_alike() -> None:
    order = order_of_episode(KINDS, "P2", 0, 1)
    made = play_trajectory(order)
    assert made.found is not None
    assert judge(made.found, order.case) == made.judged


@trains
def test_muon_goes_on_from_its_state() -> None:
    import torch

    from sealegs.training.muon import Muon
    from tests.training.small import model

    def steps(made: Any, optimizer: Any, count: int) -> None:
        for nth in range(count):
            made(input_ids=torch.tensor([[5, 6, 7, 8 + nth]]), labels=torch.tensor([[5, 6, 7, 8]])).loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    whole, half = model(), model()
    first = Muon(whole, 1e-2)
    assert {group["lr"] for group in first.param_groups} == {1e-2}
    steps(whole, first, 2)
    begun = Muon(half, 1e-2)
    steps(half, begun, 2)
    again = Muon(half, 1e-2)
    again.load_state_dict(begun.state_dict())
    steps(whole, first, 1)
    steps(half, again, 1)
    for one, other in zip(whole.parameters(), half.parameters(), strict=True):
        assert torch.equal(one, other)


@trains
def test_a_proof_goes_on_where_it_was_and_keeps_to_its_folder(tmp_path: Path) -> None:
    from dataclasses import replace

    from sealegs.reports.proofs import draw_proof
    from sealegs.training.proof.proof_run import DONE, proof_facts, run_proof
    from sealegs.training.proof.sizes import PALADIN, VANILLA, ModelShape, ProofSize
    from sealegs.training.proof.table import proof_rows as table

    shape = ModelShape(width=32, inner=64, layers=1)
    size = ProofSize("test", (0,), (VANILLA, replace(PALADIN, sets=(SEEN,))), (60, 4), (60, 4), (60, 4), 1, 2, shape)
    progress: list[tuple[int, int]] = []
    out = tmp_path / "proof"
    seconds = run_proof(size, out, lambda done, total: progress.append((done, total)), 2)
    assert progress[-1] == (len(seconds), len(seconds))
    before = {path: path.stat().st_mtime_ns for path in out.glob(f"**/{DONE}")}
    gone = out / "episodes" / "paladin" / "0" / "off" / DONE
    lines = (gone.parent / "episodes.jsonl").read_text("utf-8")
    gone.unlink()
    run_proof(size, out, lambda done, total: None, 1)
    assert (gone.parent / "episodes.jsonl").read_text("utf-8") == lines
    assert {path for path in before if path.stat().st_mtime_ns != before[path]} == {gone}
    found = table(out, size)
    assert {row["model"] for row in found if row["suite"] == "proof"} >= {"vanilla", "paladin + retrieval"}
    assert draw_proof(found) == draw_proof(found)
    assert proof_facts(out, size, seconds)["parameters"] > 0
    with pytest.raises(UserError, match="another proof"):
        run_proof(replace(size, name="other"), out, lambda done, total: None, 1)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "file").write_text("x")
    with pytest.raises(UserError, match="holds no proof"):
        run_proof(size, tmp_path / "foreign", lambda done, total: None, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["proof", "--size", "huge"], "no size 'huge'"),
        (["proof", "--model", "m", "--data", "d"], "leave out --model, --data"),
        (["paladin", "--size", "ci"], "the proof's"),
    ],
)
def test_the_commands_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        app(["train", *words], standalone_mode=False)


@trains
@pytest.mark.slow
def test_a_short_proof_separates_the_arms(tmp_path: Path) -> None:
    from dataclasses import replace

    from sealegs.training.proof.proof_run import run_proof
    from sealegs.training.proof.sizes import PALADIN, VANILLA, ProofSize
    from sealegs.training.proof.table import intervals_apart
    from sealegs.training.proof.table import proof_rows as table

    arms = (replace(VANILLA, sets=(SEEN,)), replace(PALADIN, sets=(SEEN,), curve=False))
    size = ProofSize("short", (0,), arms, (4_000, 350), (5_000, 550), (5_000, 350), 8)
    run_proof(size, tmp_path / "proof", lambda done, total: None, 2)
    found = table(tmp_path / "proof", size)
    values = {(row["model"], row["level"], row["metric"]): row["value"] for row in found}
    clean, failing = values["vanilla", "clean", "tsr"], values["vanilla", "all", "rr"]
    assert clean is not None
    assert clean > 60
    assert failing is not None
    assert failing < 10
    assert intervals_apart(found, "paladin", "vanilla")
