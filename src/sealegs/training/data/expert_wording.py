"""Wording of an expert's messages: the failure, the known facts, the next act and its reason.

Sentences come from the forms of `grammar`, filled with the scene's own facts. Which are used, and in which form, is
drawn; that a failure is named, that a reason is given, and that advice is answered, is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sealegs.training.data.act_scene import ActScene, quoted, short_value
from sealegs.training.data.answer_diagnosis import diagnose_answer
from sealegs.training.data.bad_messages import strip_advice_note
from sealegs.training.data.expert import Doing
from sealegs.training.data.sentences import sentence
from sealegs.training.data.slips import TOOL_WAYS

FIRST_LINES = ("Everything is done.", "I could not complete the request: ")
RECOVERING = "Recovery:"
REFUSAL = 409  # the status with which what is there already is refused
LEADS = ("request", "taken", "label", "later", "purpose", "quoted")
FOLLOWS = ("request", "taken", "label", "later", "purpose", "progress")
FACTS: Mapping[str, str] = {"request": "given", "progress": "done"}


def expert_thought(scene: ActScene) -> str:
    """The text that goes with a call."""
    wordings: Mapping[Doing, Callable[[ActScene], Iterator[str]]] = {
        "tries again": _again,
        "mends its call": _mends,
        "looks": _looks,
        "switches": _switches,
        "prepares": _switches,
        "goes on elsewhere": _elsewhere,
        "does the rest": _rest,
    }
    return " ".join(wordings.get(scene.doing, _continues)(scene))


def expert_closing(scene: ActScene, text: str) -> str:
    """A final answer in other words of its first line; the reason of a stop stays."""
    first, _, rest = text.partition("\n")
    if scene.doing != "stops":
        return "\n".join([_say(scene, "finishes"), rest])
    tool, _, wrong = first.removeprefix(FIRST_LINES[1]).partition(" ")
    error = scene.trouble.error if scene.trouble is not None else None
    problem = f"failed with {_error(error)}" if error is not None else _plain(wrong)
    sentences = [f"{RECOVERING} {_say(scene, 'stops')}", _say(scene, "stops.why", failed=tool, problem=problem)]
    if scene.seen is not None and scene.seen.status == "none" and "history" in scene.slots:
        sentences.append(_say(scene, "stops.none"))
    return "\n".join([" ".join([*sentences, *_other_way(scene)]), rest])


def _plain(problem: str) -> str:
    """The problem of a tool as a clause: no advice, no full stop at its end."""
    return " ".join(problem.partition(f"\n\n{RECOVERING}")[0].partition(f" {RECOVERING}")[0].split()).rstrip(".")


def _say(scene: ActScene, name: str, /, **more: str) -> str:
    return sentence(name, scene.draw, scene.held, {**scene.slots, **more})


def _maybe(scene: ActScene, share: float, name: str, /, **more: str) -> Iterator[str]:
    if scene.draw.random() < share:
        yield _say(scene, name, **more)


def _continues(scene: ActScene) -> Iterator[str]:
    """The reason for this call and for its values: one sentence, and often a second one."""
    if scene.found is not None:
        yield from _found(scene)
    if scene.begins:
        yield from _maybe(scene, 0.6, "opening")
    able = [name for name in LEADS if FACTS.get(name, name) in scene.slots]
    if "taken" in able and "request" in able:
        able.remove("request")  # the request alone does not make this call
    lead = scene.draw.choice(able)
    yield _say(scene, f"lead.{lead}")
    more = [name for name in FOLLOWS if FACTS.get(name, name) in scene.slots and name != lead]
    if more and scene.draw.random() < 0.6:
        yield _say(scene, f"follow.{scene.draw.choice(more)}")
    if "key" in scene.slots:
        yield _say(scene, "follow.key")


def _again(scene: ActScene) -> Iterator[str]:
    yield from _opened(scene)
    looked = scene.found
    note = scene.trouble.note if scene.trouble is not None else None
    # The reason is now what the look showed, no matter what a note advised.
    if looked is not None:
        yield _say(scene, f"again.{'partial' if looked.status == 'partial' else 'none'}")
        return
    if note is not None:
        if note.looks:
            # A note that asks for a look and gets none is answered by why none is needed: it reads only, or does
            # nothing twice.
            yield _say(scene, "advice.reads" if scene.again == "reads" else "advice.safe")
        if note.forbids:
            yield _say(scene, "advice.repeats")
        elif not note.looks:
            yield _say(scene, "advice.repeat" if note.repeats else "advice.unfit")
    key = scene.trouble.spec.key if scene.trouble is not None else ""
    yield _say(scene, f"again.{scene.again}", key=key)


def _looks(scene: ActScene) -> Iterator[str]:
    yield from _opened(scene)
    note = scene.trouble.note if scene.trouble is not None else None
    if note is not None and note.looks:
        yield _say(scene, "advice.looks")
    if _was_refused(scene):
        yield _say(scene, "look.settled")
        return
    why = {"acts": "look.again_acts", "refused": "look.refused"}.get(scene.again, "look.doubt")
    if scene.lasting or (scene.trouble is not None and scene.trouble.times > 1):
        why = "look.lasting"
    yield _say(scene, "look.doubt" if scene.draw.random() < 0.3 else why)


def _switches(scene: ActScene) -> Iterator[str]:
    yield from _opened(scene)
    yield from _other_way(scene)
    yield _say(scene, "prepares" if scene.doing == "prepares" else "switch")
    if "purpose" in scene.slots:
        yield from _maybe(scene, 0.3, "follow.purpose")


def _other_way(scene: ActScene) -> Iterator[str]:
    """Answers a note before another way is taken."""
    note = scene.trouble.note if scene.trouble is not None and scene.fresh else None
    if note is None or scene.found is not None:
        return
    if note.looks and scene.again == "reads":
        yield _say(scene, "advice.reads")
    elif note.forbids:
        yield _say(scene, "advice.other")
    else:
        yield _say(scene, "advice.shorter" if note.repeats else "advice.unfit")


def _elsewhere(scene: ActScene) -> Iterator[str]:
    yield f"{RECOVERING} {_say(scene, 'elsewhere')}"
    more = [name for name in ("request", "taken", "label", "purpose") if FACTS.get(name, name) in scene.slots]
    if more:
        yield _say(scene, f"follow.{scene.draw.choice(more)}")


def _mends(scene: ActScene) -> Iterator[str]:
    assert scene.slip is not None
    slip = scene.slip
    called = slip.given if slip.way in TOOL_WAYS else slip.use.tool
    yield f"{RECOVERING} {_failure(scene, called)}"
    note = scene.trouble.note if scene.trouble is not None else None
    if slip.way in TOOL_WAYS:
        yield from _note_of_slip(scene)
        yield _say(scene, "mend.tool", called=slip.given)
        return
    list_of = {"left out": "mend.left_out", "misnamed": "mend.misnamed", "other type": "mend.type"}
    words = {"name": slip.name, "given": quoted(slip.given) if slip.way == "other type" else slip.given}
    yield _say(scene, list_of[slip.way], **words)
    if scene.spec is not None and scene.spec.effects is not False:
        yield _say(scene, "mend.untouched")
    if note is not None:
        yield from _note_of_slip(scene)
    right = short_value(slip.right)
    yield _say(scene, "mend.call", name=slip.name, right=right) if right else _say(scene, "mend.plain")


def _note_of_slip(scene: ActScene) -> Iterator[str]:
    note = scene.trouble.note if scene.trouble is not None else None
    if note is not None and note.looks:
        yield _say(scene, "advice.untouched")
    elif note is not None:
        yield _say(scene, "advice.mends")


def _rest(scene: ActScene) -> Iterator[str]:
    if scene.fresh or scene.found is not None:
        yield from _opened(scene)
        yield from _other_way(scene)
        yield _say(scene, "rest")
    else:
        yield f"{RECOVERING} {_say(scene, 'rest.more')}"
    more = [name for name in ("request", "taken", "label", "purpose") if FACTS.get(name, name) in scene.slots]
    if more:
        yield from _maybe(scene, 0.5, f"follow.{scene.draw.choice(more)}")


def _opened(scene: ActScene) -> Iterator[str]:
    """Sentences on the failure and the known facts; after a look, on its result."""
    if scene.found is not None:
        sentences = list(_found(scene))
        yield f"{RECOVERING} {sentences[0]}"
        yield from sentences[1:]
        return
    yield f"{RECOVERING} {_failure(scene)}"
    if "done" in scene.slots:
        yield from _maybe(scene, 0.3, "known.done")
    else:
        yield from _maybe(scene, 0.3, "known.nothing")
    if scene.again == "reads":
        yield from _maybe(scene, 0.3, "clear.reads")
    elif not _was_refused(scene):
        yield from _maybe(scene, 0.7 if scene.doing == "looks" else 0.4, "doubt")


def _found(scene: ActScene) -> Iterator[str]:
    assert scene.found is not None
    yield _say(scene, f"found.{scene.found.status}")
    note = scene.trouble.note if scene.trouble is not None else None
    if note is not None and note.looks:
        yield from _maybe(scene, 0.5, "advice.looked")


def _failure(scene: ActScene, called: str = "") -> str:
    """The sentence that says what failed: by the tool's message, or by the facts that cannot be right."""
    assert scene.trouble is not None
    trouble = scene.trouble
    if trouble.error is not None:
        name = "failed.again" if trouble.times > 1 and scene.slip is None else "failed.error"
        name = "failed.refused" if _was_refused(scene) else name
        return _say(scene, name, failed=called or trouble.spec.name, said=_error(trouble.error))
    if not isinstance(strip_advice_note(trouble.data), Mapping):
        return _say(scene, "failed.unreadable")
    name, facts = diagnose_answer(trouble)
    return _say(scene, name, **facts)


def _was_refused(scene: ActScene) -> bool:
    """Return whether a tool that refuses duplicates refused the repetition of a call that failed."""
    error = scene.trouble.error if scene.trouble is not None and scene.trouble.times > 1 else None
    return scene.again == "refused" and error is not None and error.get("status") == REFUSAL


def _error(error: Mapping[str, Any]) -> str:
    """`503 ServiceUnavailable, “Service Unavailable”`."""
    named = " ".join(str(part) for part in (error.get("status"), error.get("type")) if part)
    message = " ".join(str(error.get("message", "")).partition(f"\n\n{RECOVERING}")[0].split())
    message = message.replace("“", "'").replace("”", "'").rstrip(".")
    return f"{named}, “{message}”" if named and message else named or f"“{message}”"
