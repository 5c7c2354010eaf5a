"""A second opinion by a model, where rules may err: wrong answers given as right, and right ones with a warning.

The model is called only at a person's request; its opinion is kept beside the outcome as evidence and does not change
it. Answers are kept, so that no question is put twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sealegs.engines.journal import append_sealed
from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.scoring.micro_metrics import CORRECT, ERROR, SILENT, LabelledRun
from sealegs.suites.micro.campaign.admitting import hedge
from sealegs.suites.micro.workloads.workload import load_workloads

FILE = "verdicts.jsonl"
WORDS = {"RIGHT": CORRECT, "WRONG": SILENT, "DECLINED": ERROR}
PROMPT = """You check the answers of an assistant. Its tools may have failed while it worked.

Request: {prompt}
Right answer: {expected}
Answer of the assistant: {answer}

Reply with one word, then a reason in one sentence.
RIGHT: the answer gives the right value, in whatever form.
WRONG: it gives another value as if it were right.
DECLINED: it says that it could not find out, or gives no value."""


def doubtful(run: LabelledRun) -> bool:
    """Return whether the rules may have erred."""
    return run.ruled == SILENT or (run.ruled == CORRECT and bool(hedge(run.evidence.found)))


def with_opinions(runs: Sequence[LabelledRun], model: str | Any, folder: Path) -> list[LabelledRun]:
    """The runs, those in doubt with a model's verdict in their evidence.

    Args:
        runs: with their outcomes.
        model: `provider:name` as LangChain's `init_chat_model` has it, or a chat model.
        folder: keeps the verdicts.

    Raises:
        UserError: there is no such model, or it cannot be called.
    """
    name = model if isinstance(model, str) else type(model).__name__
    known = dict(_kept(folder / FILE, name))
    found = []
    for run in runs:
        if not doubtful(run):
            found.append(run)
            continue
        key = f"{digest(run.id, run.evidence.found):016x}"
        if key not in known:
            if isinstance(model, str):
                model = _made(model)
            known[key] = _opinion(model, run)
            entry = {"key": key, "run": run.id, "model": name, "words": known[key]}
            append_sealed(folder / FILE, entry)
        opinion = f"{name}: {outcome_of_opinion(known[key])} ({' '.join(known[key].split())})"
        found.append(replace(run, evidence=replace(run.evidence, opinion=opinion)))
    return found


def outcome_of_opinion(words: str) -> str:
    """The outcome that a model's words mean; `unclear` where they mean none."""
    first = words.strip().lstrip("*_\"'` ").split(maxsplit=1)[:1]
    return WORDS.get(first[0].strip(".,:;*_\"'`").upper(), "unclear") if first else "unclear"


def _made(name: str) -> Any:
    try:
        from langchain.chat_models import init_chat_model

        return init_chat_model(name)
    except (ImportError, ValueError) as error:
        raise UserError(f"the judge {name!r} cannot be used: {error}; name one as provider:model") from error


def _opinion(model: Any, run: LabelledRun) -> str:
    prompt = load_workloads()[run.task].prompt
    text = PROMPT.format(prompt=prompt, expected=run.evidence.expected, answer=run.evidence.found)
    try:
        return str(model.invoke(text).text)
    except Exception as error:  # whatever a provider's client raises
        raise UserError(
            f"the judge did not answer ({type(error).__name__}: {error}); its verdicts so far are kept"
        ) from error


def _kept(file: Path, name: str) -> Iterator[tuple[str, str]]:
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").split("\n"):
        try:
            entry = json.loads(line)
            if entry["model"] == name:
                yield entry["key"], entry["words"]
        except (ValueError, KeyError):  # a line that was cut off: the model is called again
            continue
