"""The bank covers what it should, finds what is nearest, and keeps still where nothing is near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sealegs.faults.call import Call
from sealegs.faults.catalogue import explicit_responses, implicit_corruptions
from sealegs.faults.user_error import UserError
from sealegs.recovery.bank import Bank, Exemplar, bank_schema, read_bank, read_bank_file, shipped_bank
from sealegs.recovery.bank.adding import describe_replacements, extend_bank_text, known_already
from sealegs.recovery.bank.index import STRUCTURE, UNSAID, WEIGHTS, _words
from sealegs.recovery.causes import GENERIC, cause, causes, error_basename
from sealegs.recovery.classes import CLASSES, published_classes, published_signature
from sealegs.recovery.failure_category import categorize_failure
from sealegs.recovery.signature import Signature
from sealegs.search.bm25 import TextIndex

CALL = Call("price", {"item": "pen"})
ONE = Exemplar(
    name="till-busy",
    cause="unavailable",
    status=(503,),
    types=("TillBusy",),
    looks=("The till is being counted",),
    diagnosis="The till is being counted.",
    steps=("Ask again after noon.",),
    stop="it is evening",
)


def test_the_shipped_bank_covers_every_class_and_cause() -> None:
    ones = shipped_bank().exemplars
    assert len(ones) >= 70
    assert {one.cause for one in ones} == set(causes())
    assert {causes()[one.cause].failure_class for one in ones} == set(CLASSES)
    assert all(one.text.startswith("Recovery: ") and len(one.text) <= 600 for one in ones)


@pytest.mark.parametrize(
    "error", explicit_responses("P1") + explicit_responses("P2"), ids=lambda error: f"{error.status} {error.type}"
)
def test_every_explicit_response_of_the_catalogue_has_an_exemplar(error: object) -> None:
    status, type, message = (getattr(error, name) for name in ("status", "type", "message"))
    (match,) = shipped_bank().nearest(Signature(status, type, message))
    assert status in match.exemplar.status
    assert type in match.exemplar.types
    assert match.distance < 0.05


@pytest.mark.parametrize("family", implicit_corruptions())
def test_every_implicit_corruption_has_an_exemplar(family: str) -> None:
    (match,) = shipped_bank().nearest(Signature(invariants=(family,)))
    assert family in match.exemplar.invariants


@pytest.mark.parametrize("failure", published_classes())
def test_every_published_failure_has_an_exemplar(failure: str) -> None:
    signature = published_signature(failure)
    (match,) = shipped_bank().nearest(signature)
    assert match.distance <= shipped_bank().floor
    assert signature.status in match.exemplar.status if failure.isdigit() else failure in match.exemplar.types


def plainly(ones: Sequence[Exemplar], signature: Signature) -> list[float]:
    """The distances by their definition, one exemplar at a time."""
    index = TextIndex(tuple(look for one in ones for look in one.masks))
    alike = iter(index.likeness(_words(signature)))
    return [_far(one, signature, max(next(alike) for _ in one.masks)) for one in ones]


def _far(one: Exemplar, signature: Signature, alike: float) -> float:
    parts: dict[str, float] = {}
    if signature.status is not None:
        parts["status"] = UNSAID if not one.status else float(signature.status not in one.status)
    name, known = error_basename(signature.type), cause(signature)
    if name not in GENERIC:
        parts["type"] = UNSAID if not one.types else float(name not in one.types)
    if known is not None:
        parts["cause"] = float(known[0].name != one.cause)
    if categorize_failure(signature) != "unknown":
        parts["nature"] = float(categorize_failure(signature) != one.category)
    if signature.silent:
        mine, theirs = set(signature.invariants), set(one.invariants)
        parts["invariants"] = 1 - len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0
        broken = bool(signature.schema) or "missing_required_fields" in mine
        parts["schema"] = float(broken != one.breaks_schema)
    weight = sum(WEIGHTS[part] for part in parts)
    structure = sum(WEIGHTS[part] * value for part, value in parts.items()) / weight if weight else UNSAID
    if one.silent != signature.silent:
        structure = 1.0
    if one.repeated:
        return 0.0 if 0 < one.repeated <= signature.repeated else float("inf")
    return STRUCTURE * structure + (1 - STRUCTURE) * (1 - alike)


SIGNATURES = st.builds(
    Signature,
    status=st.none() | st.sampled_from([400, 404, 409, 429, 503, 599]),
    type=st.sampled_from(["", "ToolError", "RateLimitExceeded", "KeyError", "a.b.ConnectionError", "Strange"]),
    message=st.sampled_from(["", "Too Many Requests", "no space left", "deadlock detected", "zyx", "Not Found: <id>"]),
    invariants=st.sampled_from([(), ("physics_violation",), ("logic_violation", "tool_leakage")]),
    schema=st.sampled_from([(), ("a is missing",)]),
    repeated=st.sampled_from([0, 1, 2, 5]),
)


@given(SIGNATURES)
def test_distances_are_those_of_the_definition(signature: Signature) -> None:
    bank = shipped_bank()
    found = bank.distances(signature)
    assert found == pytest.approx(plainly(bank.exemplars, signature))
    first, *_ = bank.nearest(signature)
    assert first.distance == pytest.approx(float(found.min()))
    many = bank.nearest(signature, count=5)
    assert [match.distance for match in many] == pytest.approx(sorted(found)[:5])
    finite = found[np.isfinite(found)]
    assert ((finite >= 0) & (finite <= 1 + 1e-9)).all()


def test_an_exemplar_is_at_no_distance_from_its_own_failure() -> None:
    for one in shipped_bank().exemplars:
        if not one.repeated and one.types and cause(one.signature) and cause(one.signature)[0].name == one.cause:  # type: ignore[index]
            (match,) = shipped_bank().nearest(one.signature)
            assert match.distance < 0.25


def test_advice_begins_as_agents_expect_and_is_left_out_where_nothing_is_near() -> None:
    bank = shipped_bank()
    advice = bank.advice(CALL, Signature(429, "RateLimitExceeded", "Too Many Requests"))
    assert advice is not None
    assert advice.text.startswith("Recovery: Too many calls came in a short time")
    assert (advice.exemplar, round(advice.distance, 2)) == ("rate-limited", 0.0)
    assert bank.advice(CALL, Signature(type="ToolError", message="zyx wvu")) is None
    assert Bank([ONE], floor=0.0).advice(CALL, Signature(503, "Other", "down")) is None


@pytest.mark.parametrize("one", shipped_bank().exemplars, ids=lambda one: one.name)
def test_no_advice_repeats_what_may_have_happened_without_a_look(one: Exemplar) -> None:
    open_ended = Signature(500, "InternalServerError", "Internal Server Error")
    orders = [step for step in one.steps if not step.startswith(("Do not", "Never", "Stop"))]
    repeats = any(word in f" {step}".replace(".", " ") for step in orders for word in (" again ", " once more "))
    assert "took effect" in one.advice_on(open_ended) or not repeats or causes()[one.cause].checked
    assert one.advice_on(replace(open_ended, harmless=True)) == one.text


@pytest.mark.parametrize("one", shipped_bank().exemplars, ids=lambda one: one.name)
def test_no_advice_says_that_an_effect_is_there_or_not(one: Exemplar) -> None:
    claim = re.compile(
        r"took effect|nothing (?:was|is) (?:done|sent)|never left|did(?: not|n.t) arrive|count it as done"
    )
    assert not claim.search(one.text)


def test_what_is_proven_harmless_may_be_repeated_without_a_look() -> None:
    bank = shipped_bank()
    for status, name in ((429, "TooManyRequests"), (503, "ServiceUnavailable")):
        seen = Signature(status, name, "Try again later")
        safe, perhaps = bank.advice(CALL, replace(seen, harmless=True)), bank.advice(CALL, seen)
        assert safe is not None
        assert perhaps is not None
        assert ("took effect" in safe.text, "took effect" in perhaps.text) == (False, True)


def test_what_was_tried_often_enough_is_not_advised_again() -> None:
    busy = Signature(503, "ServiceUnavailable", "Service Unavailable")
    again = Signature(503, "ServiceUnavailable", "Service Unavailable", repeated=2)
    assert shipped_bank().nearest(busy)[0].exemplar.name == "service-unavailable"
    assert shipped_bank().nearest(again)[0].exemplar.name == "same-failure-again"


def test_an_exemplar_for_one_tool_is_for_no_other() -> None:
    bound = ONE.changed(tools=("till_*",))
    bank = Bank([bound])
    busy = Signature(503, "TillBusy", "The till is being counted")
    assert bank.near(busy, Call("till_open", {})) is not None
    assert bank.near(busy, CALL) is None
    assert bank.nearest(busy, CALL, 3) == ()


def test_other_likeness_can_take_the_place_of_words() -> None:
    class Same:
        def __init__(self, texts: tuple[str, ...]) -> None:
            self.size = len(texts)

        def likeness(self, query: str) -> np.typing.NDArray[np.float64]:
            return np.ones(self.size)

    (match,) = Bank([ONE], index=Same).nearest(Signature(503, "TillBusy", "nothing alike"))
    assert match.distance == 0


def test_many_exemplars_of_few_structures_are_found_by_their_text() -> None:
    many = [ONE.changed(name=f"t-{n}", looks=(f"till number w{n}x broke",)) for n in range(500)]
    bank = Bank(many)
    (match,) = bank.nearest(Signature(503, "TillBusy", "till number w77x broke"))
    assert match.exemplar.name == "t-77"


# Files

WRONG = """
exemplars:
  - name: Two Words
    cause: unheard_of
    looks: []
    diagnosis: x
    steps: [y]
    stop: z
  - name: fine
    cause: timeout
    status: [9000]
    looks: [a]
    diagnosis: x
    steps: [a, b, c, d, e, f]
    stop: z
    colour: red
"""


def test_all_mistakes_of_a_bank_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(WRONG, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_bank_file(file)
    for part in ("[0].name", "unheard_of", "[0].looks", "9000", "[1].steps", "colour"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it holds nothing; give an object with `exemplars`"),
        ("just words", 'it holds "just words"; give'),
        ("42", "it holds 42; give"),
        ("exemplars: [", "is not valid YAML"),
        (
            "{name: a, cause: timeout, looks: [slow], diagnosis: d, steps: [Wait (some, or so).], stop: s}",
            "quotation marks",
        ),
    ],
)
def test_what_is_no_bank_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(message)):
        read_bank_file(file)


def test_every_shipped_step_is_a_whole_sentence() -> None:
    steps = [step for one in shipped_bank().exemplars for step in one.steps]
    assert [step for step in steps if not step[0].isupper() or not step.endswith(".")] == []


def test_embeddings_of_a_model_that_is_not_there_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nothing-such|embeddings"):
        read_bank(None, "nothing-such")


def test_a_bank_compares_texts_by_whatever_it_is_given() -> None:
    class Same:
        """Every text is as like as every other but the first."""

        def __init__(self, texts: tuple[str, ...]) -> None:
            self._found = np.full(len(texts), 0.2)
            self._found[0] = 1.0

        def likeness(self, query: str) -> NDArray[np.float64]:
            return self._found

    bank = Bank([ONE, ONE.changed(name="other")], index=Same)
    near, far = bank.nearest(ONE.signature, count=2)
    assert (near.exemplar.name, round(far.distance - near.distance, 9)) == (ONE.name, round((1 - STRUCTURE) * 0.8, 9))


def test_a_bank_with_one_name_twice_and_a_long_advice_are_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "bank.json"
    entry = '{"name": "a", "cause": "timeout", "looks": ["x"], "diagnosis": "d", "steps": ["s"], "stop": "t"}'
    file.write_text(f"[{entry}, {entry}]", encoding="utf-8")
    with pytest.raises(UserError, match="several exemplars of one name"):
        read_bank_file(file)
    file.write_text(entry.replace('["s"]', str(["w" * 190] * 5).replace("'", '"')), encoding="utf-8")
    with pytest.raises(UserError, match="shorten"):
        read_bank_file(file)


def test_a_bank_of_ones_own_stands_beside_the_shipped_one_or_alone(tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(extend_bank_text(file, [ONE]), encoding="utf-8")
    assert len(read_bank(file).exemplars) == len(shipped_bank().exemplars) + 1
    file.write_text("shipped: false\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_bank(file).exemplars == (ONE,)
    assert read_bank() is shipped_bank()


@pytest.mark.parametrize(
    "start",
    ["", "# mine\nexemplars:\n- {%}\n", "shipped: false\n# mine\nexemplars:\n  - {%}\n", "exemplars: [{%}]\n"],
)
@pytest.mark.parametrize("name", ["bank.yaml", "bank.json"])
def test_adding_keeps_what_was_there(tmp_path: Path, start: str, name: str) -> None:
    file = tmp_path / name
    if start and name == "bank.json":
        start = '{"shipped": false, "exemplars": []}'
    start = start.replace("%", "name: a, cause: dns, looks: [q], diagnosis: d, steps: [s], stop: t")
    if start:
        file.write_text(start, encoding="utf-8")
    before = read_bank_file(file) if start else None
    file.write_text(extend_bank_text(file, [ONE]), encoding="utf-8")
    after = read_bank_file(file)
    assert after.exemplars == (*(before.exemplars if before else ()), ONE)
    assert after.shipped == (before.shipped if before else True)
    assert ("# mine" in file.read_text(encoding="utf-8")) == ("# mine" in start)


def test_duplicates_are_reported_and_nothing_is_added(tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(extend_bank_text(file, [ONE]), encoding="utf-8")
    with pytest.raises(UserError, match="of this name is there already"):
        extend_bank_text(file, [ONE])
    other = ONE.changed(name="other")
    with pytest.raises(UserError, match="other: till-busy is for the same failure"):
        extend_bank_text(file, [other])
    assert known_already(ONE.changed(name="third", status=(500,)), [ONE]) == ""
    assert describe_replacements([ONE.changed(name="rate-limited")])
    assert not describe_replacements([ONE])


def test_the_schema_knows_what_the_reader_knows() -> None:
    schema = bank_schema()
    fields = schema["$defs"]["Exemplar"]
    assert set(fields["required"]) == {"name", "cause", "looks", "diagnosis", "steps", "stop"}
    assert "schema" in fields["properties"]
    assert fields["additionalProperties"] is False
