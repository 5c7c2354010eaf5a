"""Wording of an expert's messages: the failure, the known facts, the next act and its reason.

Sentences come from the forms of `grammar`, filled with the context's own facts. Which are used, and in which form, is
drawn; that a failure is named, that a reason is given, and that advice is answered, is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sealegs.training.data.answer_diagnosis import diagnose_answer
from sealegs.training.data.bad_messages import strip_advice_note
from sealegs.training.data.expert import Doing
from sealegs.training.data.sentences import sentence
from sealegs.training.data.slips import TOOL_WAYS
from sealegs.training.data.step_context import StepContext, quoted, short_value

FIRST_LINES = ("Everything is done.", "I could not complete the request: ")
RECOVERING = "Recovery:"
REFUSAL = 409  # the status with which what is there already is refused
LEADS = ("request", "taken", "label", "later", "purpose", "quoted")
FOLLOWS = ("request", "taken", "label", "later", "purpose", "progress")
FACTS: Mapping[str, str] = {"request": "given", "progress": "done"}


def expert_thought(context: StepContext) -> str:
    """The text that goes with a call."""
    wordings: Mapping[Doing, Callable[[StepContext], Iterator[str]]] = {
        "tries again": _again,
        "mends its call": _mends,
        "looks": _looks,
        "switches": _switches,
        "prepares": _switches,
        "continues elsewhere": _elsewhere,
        "does the rest": _rest,
    }
    return " ".join(wordings.get(context.doing, _continues)(context))


def expert_closing(context: StepContext, text: str) -> str:
    """A final answer in other words of its first line; the reason of a stop stays."""
    first, _, rest = text.partition("\n")
    if context.doing != "stops":
        return "\n".join([_say(context, "finishes"), rest])
    tool, _, wrong = first.removeprefix(FIRST_LINES[1]).partition(" ")
    error = context.trouble.error if context.trouble is not None else None
    problem = f"failed with {_error(error)}" if error is not None else _plain(wrong)
    sentences = [f"{RECOVERING} {_say(context, 'stops')}", _say(context, "stops.why", failed=tool, problem=problem)]
    if context.seen is not None and context.seen.status == "none" and "history" in context.slots:
        sentences.append(_say(context, "stops.none"))
    return "\n".join([" ".join([*sentences, *_other_way(context)]), rest])


def _plain(problem: str) -> str:
    """The problem of a tool as a clause: no advice, no full stop at its end."""
    return " ".join(problem.partition(f"\n\n{RECOVERING}")[0].partition(f" {RECOVERING}")[0].split()).rstrip(".")


def _say(context: StepContext, name: str, /, **more: str) -> str:
    return sentence(name, context.draw, context.held_out, {**context.slots, **more})


def _maybe(context: StepContext, share: float, name: str, /, **more: str) -> Iterator[str]:
    if context.draw.random() < share:
        yield _say(context, name, **more)


def _continues(context: StepContext) -> Iterator[str]:
    """The reason for this call and for its values: one sentence, and often a second one."""
    if context.found is not None:
        yield from _found(context)
    if context.begins:
        yield from _maybe(context, 0.6, "opening")
    able = [name for name in LEADS if FACTS.get(name, name) in context.slots]
    if "taken" in able and "request" in able:
        able.remove("request")  # the request alone does not make this call
    lead = context.draw.choice(able)
    yield _say(context, f"lead.{lead}")
    more = [name for name in FOLLOWS if FACTS.get(name, name) in context.slots and name != lead]
    if more and context.draw.random() < 0.6:
        yield _say(context, f"follow.{context.draw.choice(more)}")
    if "key" in context.slots:
        yield _say(context, "follow.key")


def _again(context: StepContext) -> Iterator[str]:
    yield from _opened(context)
    looked = context.found
    note = context.trouble.note if context.trouble is not None else None
    # The reason is now what the look showed, no matter what a note advised.
    if looked is not None:
        yield _say(context, f"again.{'partial' if looked.status == 'partial' else 'none'}")
        return
    if note is not None:
        if note.looks:
            # A note that asks for a look and gets none is answered by why none is needed: it reads only, or does
            # nothing twice.
            yield _say(context, "advice.reads" if context.again == "reads" else "advice.safe")
        if note.forbids:
            yield _say(context, "advice.repeats")
        elif not note.looks:
            yield _say(context, "advice.repeat" if note.repeats else "advice.unfit")
    key = context.trouble.spec.key if context.trouble is not None else ""
    yield _say(context, f"again.{context.again}", key=key)


def _looks(context: StepContext) -> Iterator[str]:
    yield from _opened(context)
    note = context.trouble.note if context.trouble is not None else None
    if note is not None and note.looks:
        yield _say(context, "advice.looks")
    if _was_refused(context):
        yield _say(context, "look.settled")
        return
    why = {"acts": "look.again_acts", "refused": "look.refused"}.get(context.again, "look.doubt")
    if context.lasting or (context.trouble is not None and context.trouble.times > 1):
        why = "look.lasting"
    yield _say(context, "look.doubt" if context.draw.random() < 0.3 else why)


def _switches(context: StepContext) -> Iterator[str]:
    yield from _opened(context)
    yield from _other_way(context)
    yield _say(context, "prepares" if context.doing == "prepares" else "switch")
    if "purpose" in context.slots:
        yield from _maybe(context, 0.3, "follow.purpose")


def _other_way(context: StepContext) -> Iterator[str]:
    """Answers a note before another way is taken."""
    note = context.trouble.note if context.trouble is not None and context.fresh else None
    if note is None or context.found is not None:
        return
    if note.looks and context.again == "reads":
        yield _say(context, "advice.reads")
    elif note.forbids:
        yield _say(context, "advice.other")
    else:
        yield _say(context, "advice.shorter" if note.repeats else "advice.unfit")


def _elsewhere(context: StepContext) -> Iterator[str]:
    yield f"{RECOVERING} {_say(context, 'elsewhere')}"
    more = [name for name in ("request", "taken", "label", "purpose") if FACTS.get(name, name) in context.slots]
    if more:
        yield _say(context, f"follow.{context.draw.choice(more)}")


def _mends(context: StepContext) -> Iterator[str]:
    assert context.slip is not None
    slip = context.slip
    called = slip.given if slip.way in TOOL_WAYS else slip.use.tool
    yield f"{RECOVERING} {_failure(context, called)}"
    note = context.trouble.note if context.trouble is not None else None
    if slip.way in TOOL_WAYS:
        yield from _note_of_slip(context)
        yield _say(context, "mend.tool", called=slip.given)
        return
    list_of = {"left out": "mend.left_out", "misnamed": "mend.misnamed", "other type": "mend.type"}
    words = {"name": slip.name, "given": quoted(slip.given) if slip.way == "other type" else slip.given}
    yield _say(context, list_of[slip.way], **words)
    if context.spec is not None and context.spec.effects is not False:
        yield _say(context, "mend.untouched")
    if note is not None:
        yield from _note_of_slip(context)
    right = short_value(slip.right)
    yield _say(context, "mend.call", name=slip.name, right=right) if right else _say(context, "mend.plain")


def _note_of_slip(context: StepContext) -> Iterator[str]:
    note = context.trouble.note if context.trouble is not None else None
    if note is not None and note.looks:
        yield _say(context, "advice.untouched")
    elif note is not None:
        yield _say(context, "advice.mends")


def _rest(context: StepContext) -> Iterator[str]:
    if context.fresh or context.found is not None:
        yield from _opened(context)
        yield from _other_way(context)
        yield _say(context, "rest")
    else:
        yield f"{RECOVERING} {_say(context, 'rest.more')}"
    more = [name for name in ("request", "taken", "label", "purpose") if FACTS.get(name, name) in context.slots]
    if more:
        yield from _maybe(context, 0.5, f"follow.{context.draw.choice(more)}")


def _opened(context: StepContext) -> Iterator[str]:
    """Sentences on the failure and the known facts; after a look, on its result."""
    if context.found is not None:
        sentences = list(_found(context))
        yield f"{RECOVERING} {sentences[0]}"
        yield from sentences[1:]
        return
    yield f"{RECOVERING} {_failure(context)}"
    if "done" in context.slots:
        yield from _maybe(context, 0.3, "known.done")
    else:
        yield from _maybe(context, 0.3, "known.nothing")
    if context.again == "reads":
        yield from _maybe(context, 0.3, "clear.reads")
    elif not _was_refused(context):
        yield from _maybe(context, 0.7 if context.doing == "looks" else 0.4, "doubt")


def _found(context: StepContext) -> Iterator[str]:
    assert context.found is not None
    yield _say(context, f"found.{context.found.status}")
    note = context.trouble.note if context.trouble is not None else None
    if note is not None and note.looks:
        yield from _maybe(context, 0.5, "advice.looked")


def _failure(context: StepContext, called: str = "") -> str:
    """The sentence that says what failed: by the tool's message, or by the facts that cannot be right."""
    assert context.trouble is not None
    trouble = context.trouble
    if trouble.error is not None:
        name = "failed.again" if trouble.times > 1 and context.slip is None else "failed.error"
        name = "failed.refused" if _was_refused(context) else name
        return _say(context, name, failed=called or trouble.spec.name, said=_error(trouble.error))
    if not isinstance(strip_advice_note(trouble.data), Mapping):
        return _say(context, "failed.unreadable")
    name, facts = diagnose_answer(trouble)
    return _say(context, name, **facts)


def _was_refused(context: StepContext) -> bool:
    """Return whether a tool that refuses duplicates refused the repetition of a call that failed."""
    error = context.trouble.error if context.trouble is not None and context.trouble.times > 1 else None
    return context.again == "refused" and error is not None and error.get("status") == REFUSAL


def _error(error: Mapping[str, Any]) -> str:
    """`503 ServiceUnavailable, “Service Unavailable”`."""
    named = " ".join(str(part) for part in (error.get("status"), error.get("type")) if part)
    message = " ".join(str(error.get("message", "")).partition(f"\n\n{RECOVERING}")[0].split())
    message = message.replace("“", "'").replace("”", "'").rstrip(".")
    return f"{named}, “{message}”" if named and message else named or f"“{message}”"
