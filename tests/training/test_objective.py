"""The loss against the formula computed by hand in float64, row by row, however rows are laid out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import needs

torch = pytest.importorskip("torch", reason=needs.module("torch"))
pytest.importorskip("trl", reason=needs.module("trl"))

from datasets import Dataset  # noqa: E402
from transformers import PrinterCallback  # noqa: E402
from trl import SFTConfig, SFTTrainer, pack_dataset  # noqa: E402

from sealegs.training.attention import register_row_attention  # noqa: E402
from sealegs.training.objective import Collator, RecoveryTrainer, loss_terms  # noqa: E402
from tests.training.small import model, tokenizer  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::FutureWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
Tokens = list[dict[str, list[int]]]
LAMBDA = 0.7


def tokens(count: int, seed: int = 0, *, recovering: bool = True) -> Tokens:
    """Rows of random tokens, labels and marks; every third has no recovery."""
    random = Random(seed)
    made: Tokens = []
    for nth in range(count):
        ids = [random.randrange(10, 500) for _ in range(random.randint(4, 40))]
        labels = [id if random.random() < 0.5 else -100 for id in ids]
        labels[-1] = ids[-1]
        marked = recovering and nth % 3 > 0
        recovery = [int(marked and label != -100 and random.random() < 0.4) for label in labels]
        made.append({"input_ids": ids, "labels": labels, "recovery": recovery})
    return made


def by_hand(state: dict[str, Any], rows: Tokens, weight: float) -> float:
    """L_SFT + lambda L_rec with one plain forward pass a row, in double precision."""
    judge = model().double()
    judge.load_state_dict(state)
    spoken: list[float] = []
    recovering: list[float] = []
    with torch.no_grad():
        for row in rows:
            likely = judge(torch.tensor([row["input_ids"]])).logits[0].log_softmax(-1)
            for place in range(1, len(row["labels"])):
                if row["labels"][place] != -100:
                    nll = -float(likely[place - 1, row["labels"][place]])
                    spoken.append(nll)
                    if row["recovery"][place]:
                        recovering.append(nll)
    extra = sum(recovering) / len(recovering) if recovering else 0.0
    return sum(spoken) / len(spoken) + weight * extra


def settings(folder: Path, **more: Any) -> SFTConfig:
    given: dict[str, Any] = {
        "output_dir": str(folder),
        "max_steps": 1,
        "logging_steps": 1,
        "learning_rate": 1e-3,
        "bf16": False,
        "use_cpu": True,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
        "activation_checkpointing": False,
        "dataset_kwargs": {"skip_prepare_dataset": True},
    }
    return SFTConfig(**given | more)


def trainer(rows: Any, folder: Path, weight: float, *, free: bool, **more: Any) -> Any:
    made = RecoveryTrainer(
        model=model(),
        args=settings(folder, **more),
        train_dataset=rows,
        processing_class=tokenizer(),
        data_collator=Collator(0, padding_free=free),
        recovery_weight=weight,
    )
    made.remove_callback(PrinterCallback)
    return made


@pytest.mark.parametrize("layout", ["padded", "packed", "packed, row by row", "padding-free"])
@pytest.mark.parametrize(("batch", "accumulation"), [(24, 1), (4, 6), (5, 5)], ids=["at-once", "accumulated", "uneven"])
def test_the_loss_is_the_formula(layout: str, batch: int, accumulation: int, tmp_path: Path) -> None:
    rows = tokens(24)
    data = Dataset.from_list(rows)
    if layout.startswith("packed"):
        data = pack_dataset(data, 64, "bfd")
        assert len(data) < 15
        batch = max(1, batch // 3)
        accumulation = -(-len(data) // batch)
    made = trainer(
        data,
        tmp_path,
        LAMBDA,
        free=layout != "padded",
        per_device_train_batch_size=batch,
        gradient_accumulation_steps=accumulation,
    )
    if layout.endswith("row by row"):
        made.model.set_attn_implementation(register_row_attention())
    begun = {name: weight.clone() for name, weight in made.model.state_dict().items()}
    made.train()
    point = made.state.log_history[0]
    assert point["loss"] == pytest.approx(by_hand(begun, rows, LAMBDA), rel=1e-6)
    assert point["loss_sft"] == pytest.approx(by_hand(begun, rows, 0), rel=1e-6)
    total = point["loss_sft"] + LAMBDA * point["loss_recovery"]
    assert point["loss"] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("attention", ["sdpa", register_row_attention()])
def test_the_gradient_is_the_formulas(attention: str, tmp_path: Path) -> None:
    rows = tokens(9)
    made = trainer(
        pack_dataset(Dataset.from_list(rows), 64, "bfd"),
        tmp_path,
        LAMBDA,
        free=True,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=9,
        max_grad_norm=1e9,
    )
    made.model.set_attn_implementation(attention)
    judge = model().double()
    likely = [judge(torch.tensor([row["input_ids"]])).logits[0, :-1].log_softmax(-1) for row in rows]
    nll = torch.cat([-one[range(len(row["labels"]) - 1), row["input_ids"][1:]] for one, row in zip(likely, rows)])
    spoken = torch.tensor([label != -100 for row in rows for label in row["labels"][1:]])
    marked = torch.tensor([bool(mark) for row in rows for mark in row["recovery"][1:]])
    (nll[spoken].mean() + LAMBDA * nll[marked].mean()).backward()
    norm = torch.stack([weight.grad.norm() for weight in judge.parameters()]).norm()
    made.train()
    assert made.state.log_history[0]["grad_norm"] == pytest.approx(float(norm), rel=1e-5)


def test_without_recovery_the_loss_is_finite_and_plain(tmp_path: Path) -> None:
    rows = tokens(6, recovering=False)
    made = trainer(Dataset.from_list(rows), tmp_path, 5.0, free=False, per_device_train_batch_size=6)
    begun = {name: weight.clone() for name, weight in made.model.state_dict().items()}
    made.train()
    point = made.state.log_history[0]
    assert point["loss"] == pytest.approx(by_hand(begun, rows, 0), rel=1e-6)
    assert "loss_recovery" not in point
    assert all(torch.isfinite(weight).all() for weight in made.model.parameters())


def test_a_batch_without_recovery_takes_part_in_a_step_that_has_some(tmp_path: Path) -> None:
    """L_rec is a mean over the step, not a mean of means over its batches."""
    rows = [*tokens(2, 3), *tokens(2, 4, recovering=False)]
    made = trainer(
        Dataset.from_list(rows), tmp_path, 3.0, free=False, per_device_train_batch_size=1, gradient_accumulation_steps=4
    )
    begun = {name: weight.clone() for name, weight in made.model.state_dict().items()}
    made.train()
    assert made.state.log_history[0]["loss"] == pytest.approx(by_hand(begun, rows, 3.0), rel=1e-6)


@pytest.mark.parametrize("free", [False, True], ids=["padded", "packed"])
def test_lambda_zero_is_plain_trl(free: bool, tmp_path: Path) -> None:
    data = Dataset.from_list(tokens(24))
    given: dict[str, Any] = {"max_steps": 4, "per_device_train_batch_size": 3, "gradient_accumulation_steps": 2}
    ours_data = pack_dataset(data, 64, "bfd") if free else data
    ours = trainer(ours_data, tmp_path / "ours", 0.0, free=free, **given)
    packing: dict[str, Any] = {"packing": free, "max_length": 64, "dataset_kwargs": None}
    plain = SFTTrainer(
        model=model(),
        args=settings(tmp_path / "plain", **given, **packing),
        train_dataset=data.select_columns(["input_ids", "labels"]),
        processing_class=tokenizer(),
    )
    plain.remove_callback(PrinterCallback)
    ours.train()
    plain.train()
    losses = [[point["loss"] for point in one.state.log_history if "loss" in point] for one in (ours, plain)]
    assert len(losses[0]) == 4
    assert losses[0] == losses[1]
    pairs = zip(ours.model.parameters(), plain.model.parameters(), strict=True)
    assert all(torch.equal(mine, theirs) for mine, theirs in pairs)


def test_terms_of_no_tokens() -> None:
    assert loss_terms([0.0, 0.0, 0.0, 0.0]) == {"loss_sft": 0.0, "recovery_tokens": 0.0}
    assert loss_terms([6.0, 3.0, 4.0, 1.0], "eval_") == {
        "eval_loss_sft": 2.0,
        "eval_loss_recovery": 4.0,
        "eval_recovery_tokens": 1.0,
    }
