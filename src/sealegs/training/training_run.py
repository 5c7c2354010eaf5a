"""A run from beginning to end: checks, tokens, training, adapters, curves, card.

Killed at any moment, the same command resumes from the last whole checkpoint, with the same order of rows and the same
random numbers. A folder holds one run: another recipe or other data need another.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sealegs import __version__
from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import Row
from sealegs.training.conversation_rows import data_files, digest_files, validation_folder
from sealegs.training.library_writes import library_writes
from sealegs.training.preflight import PACKAGES, CheckedRun, check_run, require_packages
from sealegs.training.training_recipe import TrainingRecipe

MUON = "muon"
TOKENS = "tokens"  # the folder of the data as tokens
Tell = Callable[[int, int], None]


def run_training(recipe: TrainingRecipe, folder: Path, tell: Tell) -> dict[str, Any]:
    """Train as the recipe says, or resume where a killed run stopped.

    Args:
        recipe: what to do.
        folder: where everything of the run goes: `adapter` (or `model`), checkpoints, `losses.jsonl`, `losses.svg`,
            `card.json`.
        tell: called with steps done and steps in all.

    Returns:
        The run's card.

    Raises:
        UserError: something will not do; found before any long work, except single rows that are wrong.
        OSError: a file cannot be written, whatever library was to write it.
    """
    require_packages()
    from accelerate import PartialState
    from accelerate.utils import parse_flag_from_env

    from sealegs.training.records import CARD

    files = data_files(recipe.data)
    place = recipe.validation or validation_folder(recipe.data)
    held_out = data_files(place, "validation") if place else ()
    state = PartialState(cpu=parse_flag_from_env("ACCELERATE_USE_CPU"))  # which it does not look at by itself
    run = {"recipe": recipe.digest, "data": digest_files(files), "processes": state.num_processes}
    _same_run(folder, run)
    # The card is written last, so a run that has one is finished.
    if (folder / CARD).is_file():
        return dict(json.loads((folder / CARD).read_text("utf-8")))
    prepared = check_run(recipe)
    model = _weights(recipe, prepared)
    # One process claims the folder; the others then find the claim.
    with state.main_process_first():
        _claim(folder, run)
    with library_writes(folder):
        return _run(recipe, folder, prepared, model, (files, held_out), tell)


def _same_run(folder: Path, run: dict[str, Any]) -> None:
    """Raise where the folder holds another run."""
    path = folder / "run.json"
    if not path.is_file():
        return
    known = json.loads(path.read_text("utf-8"))
    other = [name for name in run if known.get(name) != run[name]]
    if other:
        differences = ", ".join(f"{name} was {known.get(name)}, is {run[name]}" for name in other)
        raise UserError(
            f"{folder} holds another run ({differences}); give the old command to resume it, or another --out"
        )


def _claim(folder: Path, run: dict[str, Any]) -> None:
    from sealegs.training.records import write_json_atomically

    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "run.json").is_file():
            write_json_atomically(folder / "run.json", run)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; name another --out") from error


def _weights(recipe: TrainingRecipe, prepared: CheckedRun) -> Any:
    """The model with its weights."""
    import torch
    from transformers import AutoModelForCausalLM

    dtype = torch.bfloat16 if recipe.precision == "bf16" and recipe.lora else torch.float32
    try:
        return AutoModelForCausalLM.from_pretrained(
            recipe.model, config=prepared.config, dtype=dtype, attn_implementation=prepared.attention
        )
    except Exception as error:  # safetensors has no public name for a broken file
        raise UserError(f"the weights of {recipe.model} cannot be read: {error}; fetch the model again") from error


def _run(
    recipe: TrainingRecipe, folder: Path, prepared: CheckedRun, model: Any, files: tuple[Any, Any], tell: Tell
) -> dict[str, Any]:
    """The long work."""
    from sealegs.training.records import RunCallback, cut_losses, last_checkpoint
    from sealegs.training.tokenized_data import SequenceSettings
    from sealegs.training.tokenized_data import prepare_tokens as tokens

    way = SequenceSettings(prepared.template, recipe.context, recipe.packing, recipe.workers)
    rows, facts = tokens(files[0], prepared.tokenizer, way, folder / TOKENS)
    held_out = tokens(files[1], prepared.tokenizer, way, folder / TOKENS)[0] if files[1] else None
    checkpoint, before = last_checkpoint(folder)
    callback = RunCallback(folder, before, recipe.keep, tell)
    trainer = trainer_for(recipe, prepared, model, rows, held_out, folder, [callback])
    callback.trainer = trainer
    if trainer.is_world_process_zero():
        # Steps after the checkpoint are made again and would be in the file twice.
        cut_losses(folder, before.step)
    # No process may append a loss before the file was cut.
    trainer.accelerator.wait_for_everyone()
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    spent = callback.spent()
    _save(recipe, folder, prepared, trainer)
    card = _card(recipe, prepared, trainer, asdict(facts), asdict(spent))
    if trainer.is_world_process_zero():
        _leave(folder, card)
    trainer.accelerator.wait_for_everyone()
    return card


def trainer_for(
    recipe: TrainingRecipe,
    prepared: CheckedRun,
    model: Any,
    rows: Any,
    held_out: Any,
    folder: Path,
    callbacks: list[Any],
) -> Any:
    """The trainer that this recipe describes, on rows that are tokens."""
    from transformers import PrinterCallback, set_seed

    from sealegs.training.objective import Collator, RecoveryTrainer

    tokenizer = prepared.tokenizer
    tokenizer.chat_template, tokenizer.eos_token = prepared.template, prepared.end  # what generation is to stop at
    # Padding is masked, so any token will do; the end mark always exists.
    if tokenizer.pad_token is None:
        tokenizer.pad_token = prepared.end
    set_seed(recipe.seed)
    try:
        trainer = RecoveryTrainer(
            model=model,
            args=_arguments(recipe, prepared, folder, held_out is not None),
            train_dataset=rows,
            eval_dataset=held_out,
            processing_class=tokenizer,
            data_collator=Collator(tokenizer.pad_token_id, padding_free=recipe.packing),
            recovery_weight=recipe.recovery_weight,
            callbacks=callbacks,
            peft_config=_adapter(recipe),
        )
    except ValueError as error:
        # The library raises a bare ValueError, so only the text tells this case.
        if "DataParallel" not in str(error):
            raise
        raise UserError(
            "several GPUs are in sight of one process; `accelerate launch -m sealegs train ...` uses them all, "
            "CUDA_VISIBLE_DEVICES=0 one"
        ) from error
    if prepared.optimizer == MUON:
        from sealegs.training.muon import Muon

        trainer.optimizer = Muon(trainer.model, recipe.learning_rate, recipe.weight_decay)
    trainer.remove_callback(PrinterCallback)
    return trainer


def _adapter(recipe: TrainingRecipe) -> Any:
    """The low-rank adapter that is trained in place of the weights; None for all weights."""
    from peft import LoraConfig

    lora = recipe.lora
    return lora and LoraConfig(
        r=lora.r,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets),
        task_type="CAUSAL_LM",
    )


def _arguments(recipe: TrainingRecipe, prepared: CheckedRun, folder: Path, measured: bool) -> Any:
    """The recipe in TRL's words."""
    import torch
    from trl import SFTConfig

    return SFTConfig(
        output_dir=str(folder),
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulation,
        average_tokens_across_devices=True,
        num_train_epochs=recipe.epochs,
        max_steps=recipe.max_steps or -1,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="constant_with_warmup" if recipe.schedule == "constant" else recipe.schedule,
        warmup_steps=recipe.warmup_steps,
        # Muon is set on the trainer afterwards; the library has to be given a name that it knows.
        optim="adamw_torch" if prepared.optimizer == MUON else prepared.optimizer,
        weight_decay=recipe.weight_decay,
        max_grad_norm=recipe.max_grad_norm,
        bf16=recipe.precision == "bf16",
        use_cpu=not torch.accelerator.is_available(),
        activation_checkpointing=recipe.gradient_checkpointing,
        seed=recipe.seed,
        logging_steps=recipe.log_every,
        save_strategy="steps",
        save_steps=recipe.save_every,
        eval_strategy="steps" if measured else "no",
        eval_steps=recipe.save_every,
        prediction_loss_only=True,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        disable_tqdm=True,
    )


def _save(recipe: TrainingRecipe, folder: Path, prepared: CheckedRun, trainer: Any) -> None:
    """The weights that were trained, with a tokenizer that knows the template and the end mark."""
    target = folder / ("adapter" if recipe.lora else "model")
    if trainer.is_world_process_zero():
        # What a killed run has left there goes: PEFT completes the card of a model that it finds, even half of one.
        for left in (target, folder / "merged"):
            if left.exists():
                shutil.rmtree(left)
    trainer.accelerator.wait_for_everyone()
    trainer.save_model(str(target))
    if recipe.merge and recipe.lora and trainer.is_world_process_zero():
        merged = trainer.accelerator.unwrap_model(trainer.model).merge_and_unload()
        merged.save_pretrained(str(folder / "merged"))
        prepared.tokenizer.save_pretrained(str(folder / "merged"))


def _card(
    recipe: TrainingRecipe, prepared: CheckedRun, trainer: Any, facts: dict[str, Any], spent: dict[str, Any]
) -> dict[str, Any]:
    """The card of a run: the model, the data, the settings, the versions and the cost."""
    need = prepared.need
    return {
        "recipe": recipe.model_dump(by_alias=True, mode="json"),
        "digest": recipe.digest,
        "data": facts,
        "model": {"parameters": need.parameters, "trainable": need.trainable, "end_mark": prepared.end},
        "run": {
            "optimizer": prepared.optimizer,
            "attention": prepared.attention,
            "device": str(trainer.args.device),
            "processes": trainer.args.world_size,
            "effective_batch": recipe.batch * recipe.accumulation * trainer.args.world_size,
            "memory_estimated_gib": round(need.total / (1 << 30), 3),
        },
        "cost": {
            **spent,
            "tokens_per_second": round(spent["tokens"] / max(spent["seconds"], 1e-9), 1),
            "waiting_share": round(spent["waited"] / max(spent["seconds"], 1e-9), 4),
        },
        "versions": {
            "sealegs": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
    }


def _leave(folder: Path, card: dict[str, Any]) -> None:
    """The curves' picture, and last of all the card, which says that the run is done."""
    from sealegs.reports.losses import draw_losses
    from sealegs.training.records import CARD, points, write_json_atomically
    from sealegs.training.tokenized_data import remove_unfinished

    remove_unfinished(folder / TOKENS)
    curve = points(folder)
    steps = [point for point in curve if "loss" in point]
    card["losses"] = {"first": steps[0], "last": steps[-1]} if steps else {}
    (folder / "losses.svg").write_text(draw_losses(curve), encoding="utf-8")
    write_json_atomically(folder / CARD, card)


def is_main_process() -> bool:
    """Return whether this process speaks for the run: of several, the first does."""
    return os.environ.get("RANK", "0") == "0"


def quiet_libraries() -> None:
    """Keep the libraries' own bars and advice off the terminal, where our own bar is. Only for a command."""
    import warnings

    if importlib.util.find_spec("transformers") is None:
        return
    from transformers import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)


def notes(card: dict[str, Any]) -> list[str]:
    """Notes that a reader of the card should not miss."""
    data, recipe, found = card["data"], card["recipe"], []
    if data["cut"]:
        lost = f", {data['lost']} of them all that the assistant says" if data["lost"] else ""
        found.append(f"{data['cut']} of {data['rows']} rows lost their end beyond {recipe['context']} tokens{lost}")
    if data["crossing"]:
        found.append(f"{data['crossing']} tokens cross the edge of a turn and were not learned")
    if recipe["lambda"] and not data["recovery_tokens"]:
        found.append("no message is marked as recovery: the recovery term was 0 throughout")
    if card["run"]["optimizer"] != recipe["optimizer"]:
        found.append(f"{card['run']['optimizer']} took the place of {recipe['optimizer']}: bitsandbytes is missing")
    return found


def long_table(card: dict[str, Any]) -> list[Row]:
    """The run as rows of the long table."""
    recipe, cost, last = card["recipe"], card["cost"], card.get("losses", {}).get("last", {})
    figures = {
        "seconds": cost["seconds"],
        "tokens": cost["tokens"],
        "tokens_per_second": cost["tokens_per_second"],
        "waiting_share": cost["waiting_share"],
        **{name: last[name] for name in ("loss", "loss_sft", "loss_recovery") if name in last},
    }
    head: Row = {"suite": "training", "model": recipe["model"], "level": "all", "mode": recipe["name"]}
    count = card["data"]["rows"]
    return [
        {**head, "metric": name, "value": value, "low": None, "high": None, "n": count}
        for name, value in figures.items()
    ]
