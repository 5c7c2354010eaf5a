"""Uses of the knowledge about an eval's tools in a session: the form of data in answers, and recovery layers."""

from __future__ import annotations

from functools import partial

from sealegs.adapters.inspect import JSON_TEXT, AnswerText
from sealegs.faults.call import Layer
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import Advise
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge
from sealegs.suites.inspect_eval.knowledge_answers import read_answer, write_answer
from sealegs.suites.inspect_eval.options import InspectOptions


def eval_answer_text(known: EvalKnowledge | None) -> AnswerText:
    """The reader and the writer of data in the answers of the eval's tools."""
    if known is None:
        return JSON_TEXT
    form = known.answers
    return AnswerText(partial(read_answer, form=form), lambda value, before: write_answer(value, form, before))


def recovery_layers_for(options: InspectOptions, known: EvalKnowledge | None) -> list[Layer]:
    """The layers of a session of a run, with what is declared of the eval's tools."""
    if options.recovery == "off":
        return []
    if options.recovery == "advise":
        return [RecoveryLayer(Advise(shipped_bank()))]
    plan = None if known is None else known.recovery_plan()
    return [RecoveryLayer(active_policy(seed=options.seed)) if plan is None else plan.layer(seed=options.seed)]
