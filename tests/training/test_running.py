"""Whole runs by the command: an end, a kill in between, two processes, and what is refused before any long work."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import needs

torch = pytest.importorskip("torch", reason=needs.module("torch"))
pytest.importorskip("trl", reason=needs.module("trl"))

from safetensors.torch import load_file  # noqa: E402

from sealegs.faults.user_error import UserError  # noqa: E402
from sealegs.training.conversation_rows import parse_row  # noqa: E402
from sealegs.training.encoding import encode  # noqa: E402
from sealegs.training.preflight import check_run  # noqa: E402
from sealegs.training.records import last_checkpoint, points  # noqa: E402
from sealegs.training.templates import shipped_template  # noqa: E402
from sealegs.training.training_recipe import RopeScaling, TrainingRecipe, parse_training_recipe  # noqa: E402
from sealegs.training.training_run import run_training  # noqa: E402
from tests.training.small import model, row, rows, tokenizer, write_model, write_rows  # noqa: E402
from tests.training.test_objective import by_hand  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::FutureWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
COUNT = 16
# A program that becomes another one, whose files have at most so many bytes. It leaves no compiled ones cut short.
LIMITED = """
import os, resource, sys
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""
RECIPE: dict[str, Any] = {
    "name": "small",
    "template": "qwen",
    "lambda": 0.5,
    "precision": "fp32",
    "learning_rate": 2e-3,
    "context": 512,
    "batch": 1,
    "accumulation": 2,
    "save_every": 2,
    "epochs": 3,
    "gradient_checkpointing": False,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, rows and a recipe in a folder."""
    folder = tmp_path_factory.mktemp("training")
    write_model(folder / "model")
    write_rows(folder / "train.jsonl", COUNT)
    (folder / "small.json").write_text(json.dumps({**RECIPE, "model": "model", "data": "train.jsonl"}))
    return folder


def recipe(place: Path, **more: Any) -> TrainingRecipe:
    return parse_training_recipe({**RECIPE, "model": str(place / "model"), "data": str(place / "train.jsonl"), **more})


def nothing(done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def whole(place: Path) -> tuple[Path, dict[str, Any]]:
    """A run that nobody stops."""
    return place / "whole", run_training(recipe(place), place / "whole", nothing)


def command(place: Path, *arguments: str, processes: int = 1, largest: int = 0) -> subprocess.Popen[str]:
    """The command in a process of its own, whose files have at most that many bytes."""
    several = ["--multi_gpu", "--num_processes", str(processes), "--num_machines", "1", "--mixed_precision", "no"]
    launch = ["-m", "accelerate.commands.launch", *several, "--dynamo_backend", "no", "--main_process_port", "0"]
    head = launch if processes > 1 else []  # on CPUs too: ACCELERATE_USE_CPU has them speak by gloo
    first = ["-c", LIMITED, str(largest), sys.executable] if largest else []
    env = {**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.Popen(
        [sys.executable, *first, *head, "-m", "sealegs", "train", *arguments],
        cwd=place,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def adapter(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "adapter" / "adapter_model.safetensors"))


def left_in(folder: Path) -> tuple[set[str], str]:
    """The names of the files of trained weights, and their card."""
    return {one.name for one in folder.iterdir()}, (folder / "README.md").read_text("utf-8")


def test_a_run_leaves_adapter_curves_and_card(whole: tuple[Path, dict[str, Any]], place: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, card = whole
    assert card == json.loads((folder / "card.json").read_text())
    assert card["data"]["rows"] == COUNT
    assert card["data"]["recovering"] == sum(any(m.get("recovery") for m in one["messages"]) for one in rows(COUNT))
    assert card["recipe"]["lambda"] == 0.5
    assert card["cost"]["tokens"] == 3 * card["data"]["tokens"]
    curve = points(folder)
    assert [point["step"] for point in curve] == list(range(1, card["cost"]["step"] + 1))
    assert curve[-1]["loss_sft"] < curve[0]["loss_sft"] - 0.3
    assert "recovery tokens" in (folder / "losses.svg").read_text()
    trained = AutoModelForCausalLM.from_pretrained(folder / "adapter")
    written = AutoTokenizer.from_pretrained(folder / "adapter")
    assert written.eos_token == "<|im_end|>"
    assert "generation" in written.chat_template
    question = torch.tensor([[5, 6, 7]])
    assert not torch.equal(trained(question).logits, model()(question).logits)
    assert run_training(recipe(place), folder, nothing) == card  # the same command again does nothing


def test_a_killed_run_goes_on_to_the_same_end(whole: tuple[Path, dict[str, Any]], place: Path) -> None:
    folder = place / "killed"
    first = command(place, "small.json", "--out", "killed")
    for _ in range(1200):
        found = [path for path in folder.glob("checkpoint-*/whole.json") if int(path.parent.name[11:]) >= 4]
        if found or first.poll() is not None:
            break
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    _, stderr = first.communicate()
    assert first.returncode == -signal.SIGKILL, stderr
    assert not (folder / "card.json").exists()
    (folder / "checkpoint-999").mkdir()  # as a kill in the middle of writing one leaves it
    (folder / "tokens" / ".0123456789abcdef.1").mkdir()  # as a process leaves it that could not remove it
    (folder / "adapter").mkdir()  # as a kill leaves it while the last weights are written
    (folder / "adapter" / "README.md").write_text("---\nlibrary")
    (folder / "adapter" / ".tmp0123").write_bytes(b"half")
    second = command(place, "small.json", "--out", "killed", "--json", "-")
    printed, stderr = second.communicate(timeout=1800)
    assert second.returncode == 0, stderr
    card = json.loads(printed)["card"]
    assert card["cost"]["lives"] == 2
    assert not list((folder / "tokens").glob(".*"))
    names, cards = zip(*(left_in(one / "adapter") for one in (folder, whole[0])), strict=True)
    assert names[0] == names[1]
    assert cards[0] == cards[1].replace(str(place / "model"), "model")  # by the path that each was given
    assert card["cost"]["tokens"] == whole[1]["cost"]["tokens"]
    assert {row["metric"] for row in json.loads(printed)["rows"]} >= {"loss", "loss_sft", "tokens_per_second"}
    assert [point["step"] for point in points(folder)] == [point["step"] for point in points(whole[0])]
    for mine, theirs in zip(points(folder), points(whole[0]), strict=True):
        assert mine["loss"] == pytest.approx(theirs["loss"], rel=1e-5)
    for name, weight in adapter(whole[0]).items():
        assert torch.allclose(adapter(folder)[name], weight, atol=1e-6)


@pytest.mark.parametrize(
    "file", ["tokens/*/*.arrow", "checkpoint-*/adapter_model.safetensors", "checkpoint-*/optimizer.pt"]
)
def test_a_file_that_a_library_cannot_write_is_one_line(
    whole: tuple[Path, dict[str, Any]], place: Path, file: str
) -> None:
    """These are written by Arrow, in Rust, and in C++, with errors of their own."""
    written = next(whole[0].glob(file))
    folder = place / f"without-{written.name}"
    if not file.startswith("tokens"):
        shutil.copytree(whole[0] / "tokens", folder / "tokens")  # which may be larger, and are not made again
    stopped = command(place, "small.json", "--out", folder.name, largest=written.stat().st_size - 1)
    _, stderr = stopped.communicate(timeout=1800)
    assert stopped.returncode == 2, stderr
    assert "Traceback" not in stderr
    message = stderr.strip().splitlines()[-1]
    assert message.startswith((f"sealegs: cannot use {folder.name}", f"sealegs: cannot write to {folder.name}"))
    assert ("PyTorch did not finish a file" if written.suffix == ".pt" else "File too large") in message


@pytest.mark.parametrize("broken", ["Input/output error (os error 5)", "data did not match any variant"])
def test_a_tokenizer_that_cannot_be_read_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    from transformers import AutoTokenizer

    def fail(*_: Any, **__: Any) -> None:
        raise Exception(broken)  # as tokenizers does

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", fail)
    with pytest.raises(UserError, match=rf"the tokenizer of .*model cannot be read: {re.escape(broken)}; fetch the"):
        run_training(recipe(place), place / "unread", nothing)
    assert not (place / "unread").exists()


def test_two_processes_are_one_with_twice_the_accumulation(place: Path) -> None:
    more = {"epochs": 2, "packing": False}
    given = {
        **RECIPE,
        **more,
        "optimizer": "paged_adamw_32bit",
        "optimizer_fallback": "adamw_torch",
        "model": "model",
        "data": "train.jsonl",
        "accumulation": 8,
    }
    (place / "two.json").write_text(json.dumps(given))
    run = command(place, "two.json", "--out", "two", processes=2)
    printed, stderr = run.communicate(timeout=1800)
    assert run.returncode == 0, stderr
    assert printed.count("tokens_per_second") == 1  # one of the two speaks
    assert "adamw_torch took the place of paged_adamw_32bit" in stderr
    run_training(recipe(place, **more, accumulation=16), place / "one", nothing)
    card = json.loads((place / "two" / "card.json").read_text())
    assert (card["run"]["processes"], card["run"]["effective_batch"]) == (2, 16)
    template = shipped_template("qwen")
    made = [encode(parse_row(json.dumps(one)), tokenizer(), template) for one in rows(COUNT)]
    tokens = [{"input_ids": one.input_ids, "labels": one.labels, "recovery": one.recovery} for one in made]
    first = points(place / "two")[0]
    assert first["loss"] == pytest.approx(by_hand(model().state_dict(), tokens, 0.5), rel=1e-6)
    for mine, theirs in zip(points(place / "two"), points(place / "one"), strict=True):
        for term in ("loss", "loss_sft", "loss_recovery", "recovery_tokens", "grad_norm"):
            assert mine[term] == pytest.approx(theirs[term], rel=1e-4)
    for name, weight in adapter(place / "one").items():
        assert torch.allclose(adapter(place / "two")[name], weight, atol=1e-5)


def test_validation_is_measured_and_all_weights_can_be_trained(place: Path) -> None:
    folder = place / "data"
    folder.mkdir()
    write_rows(folder / "train.jsonl", 6)
    write_rows(folder / "validation.jsonl", 3)
    card = run_training(recipe(place, data=str(folder), lora=None, epochs=2, precision="bf16"), place / "full", nothing)
    assert card["model"]["trainable"] == card["model"]["parameters"]
    measured = [point for point in points(place / "full") if "eval_loss_sft" in point]
    assert measured
    assert {"eval_loss_sft", "eval_loss_recovery"} <= set(measured[-1])
    assert (place / "full" / "model" / "model.safetensors").is_file()


def test_merged_weights_speak_like_the_adapter(place: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    folder = place / "merging"
    scaling = {"type": "yarn", "factor": 2.0}
    chosen = recipe(place, merge=True, max_steps=2, rope_scaling=scaling, context=1536)
    run_training(chosen, folder, nothing)
    merged = AutoModelForCausalLM.from_pretrained(folder / "merged")
    assert merged.config.rope_parameters["rope_type"] == "yarn"
    assert merged.config.max_position_embeddings == 2048
    base = AutoModelForCausalLM.from_pretrained(place / "model", config=check_run(chosen).config)
    adapted = PeftModel.from_pretrained(base, folder / "adapter")
    question = torch.arange(5, 400)[None]
    assert torch.allclose(merged(question).logits, adapted(question).logits, atol=1e-5)
    assert not torch.allclose(merged(question).logits, model()(question).logits, atol=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "./nowhere"}, "there is no model at ./nowhere"),
        ({"memory_limit_gib": 0.001}, "the run would take about 1.0"),
        ({"context": 4096}, "more than the 1024 positions"),
        ({"template": "nobody"}, "there is no template nobody"),
        ({"lora": {"targets": ["q_proj", "w1"]}}, "lora.targets names w1; the model's linear layers are down_proj"),
        ({"attention": "flash_attention_2"}, "needs a GPU"),
        ({"data": "./nowhere.jsonl"}, "there is no data at ./nowhere.jsonl"),
        ({"optimizer": "paged_adamw_32bit"}, "needs bitsandbytes"),
    ],
)
def test_what_will_not_do_is_reported_before_any_work(
    given: dict[str, Any], message: str, place: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        run_training(recipe(place, **given), tmp_path / "run", nothing)
    assert not (tmp_path / "run").exists()


def test_bad_rows_are_reported_together(place: Path, tmp_path: Path) -> None:
    data = tmp_path / "bad.jsonl"
    data.write_text('{"messages": []}\n' + json.dumps(row(1, recovering=True)) + "\nnonsense\n")
    with pytest.raises(UserError) as caught:
        run_training(recipe(place, data=str(data)), tmp_path / "run", nothing)
    assert "2 of 3 rows" in str(caught.value)
    assert "bad.jsonl:1 has no `messages`" in str(caught.value)
    assert "bad.jsonl:3 is not JSON" in str(caught.value)
    assert not list((tmp_path / "run" / "tokens").iterdir())


def test_another_run_is_not_written_over(whole: tuple[Path, dict[str, Any]], place: Path) -> None:
    with pytest.raises(UserError, match="holds another run"):
        run_training(recipe(place, learning_rate=1e-3), whole[0], nothing)


def test_the_fallback_and_the_scaling_are_taken(place: Path) -> None:
    found = check_run(recipe(place, optimizer="paged_adamw_32bit", optimizer_fallback="adamw_torch"))
    assert found.optimizer == "adamw_torch"
    scaled = check_run(recipe(place, context=2048, rope_scaling=RopeScaling(type="linear", factor=4)))
    assert scaled.config.rope_parameters["factor"] == 4


def test_the_memory_of_the_adapters_is_counted(place: Path) -> None:
    from peft import LoraConfig, get_peft_model

    chosen = recipe(place)
    assert chosen.lora is not None
    real = get_peft_model(model(), LoraConfig(r=16, target_modules=list(chosen.lora.targets)))
    trainable, parameters = real.get_nb_trainable_parameters()
    need = check_run(chosen).need
    assert (need.trainable, need.parameters) == (trainable, parameters - trainable)


def test_only_whole_checkpoints_count(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-3").mkdir()
    assert last_checkpoint(tmp_path)[0] is None
    assert not (tmp_path / "checkpoint-3").exists()
