"""A signature holds what a failure has in common with others of its kind."""

from sealegs.faults.call import Call, Failure, Value
from sealegs.faults.invariants import Bounds
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.signature import Signature, signature

CALL = Call("price", {"item": "pen"})
SPEC = ToolSpec(
    "price",
    returns={"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
    invariants=(Bounds("price", minimum=0),),
)


def test_errors_that_differ_in_numbers_alone_are_the_same() -> None:
    first = signature(CALL, Failure("Too many requests: retry in 1500 ms", "RateLimit", 429), SPEC)
    second = signature(CALL, Failure("Too many requests: retry in 90000 ms", "RateLimit", 429), SPEC)
    assert first == second == Signature(429, "RateLimit", "Too many requests: retry in <n> ms")


def test_a_right_answer_has_none() -> None:
    assert signature(CALL, Value({"price": 2.5}), SPEC) is None
    assert signature(CALL, Value({"anything": 1})) is None


def test_what_an_answer_breaks_is_told_apart() -> None:
    wrong = signature(CALL, Value({"price": -50}), SPEC)
    assert wrong is not None
    assert wrong.silent
    assert (wrong.invariants, wrong.schema) == (("physics_violation",), ())
    short = signature(CALL, Value({}), SPEC)
    assert short is not None
    assert short.schema
    assert not short.invariants


def test_a_late_answer_has_a_signature() -> None:
    late = signature(CALL, Value({"price": 1}), SPEC, late=12.0)
    assert late is not None
    assert late.data() == {"late": 12.0}


def test_data_leaves_out_what_is_empty() -> None:
    assert Signature(503, "ServiceUnavailable", "gone").data() == {
        "status": 503,
        "type": "ServiceUnavailable",
        "message": "gone",
    }
