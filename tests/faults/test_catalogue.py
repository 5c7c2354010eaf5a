"""The catalogue is the published table, and the room is light."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sealegs.faults import KINDS, explicit_responses, implicit_corruptions
from sealegs.faults.call import Failure
from sealegs.faults.catalogue import SOURCE
from sealegs.faults.kinds.error import Error


def test_the_table_has_nine_transient_and_twelve_permanent_responses() -> None:
    assert (len(explicit_responses("P1")), len(explicit_responses("P2"))) == (9, 12)
    assert (
        len(
            {
                fault.failure
                for fault in (*explicit_responses("P1"), *explicit_responses("P2"))
                if fault.failure.body is None
            }
        )
        == 21
    )
    assert "2606.05806" in SOURCE


def test_transient_ones_invite_another_try_and_permanent_ones_do_not() -> None:
    assert {fault.status for fault in explicit_responses("P1")} == {409, 429, 500, 502, 503, 504}
    assert {fault.status for fault in explicit_responses("P2")} == {402, 403, 404, 410, 451, 501}


def test_single_rows() -> None:
    assert Error(status=503, message="Cache Unavailable", type="CacheUnavailable") in explicit_responses("P1")
    assert explicit_responses("P2")[0].failure == Failure("Tool Not Found", type="NotFound", status=404)


def test_implicit_kinds_are_kinds() -> None:
    assert len(implicit_corruptions()) == 9
    assert all(KINDS[kind].implicit for kind in implicit_corruptions())
    assert "UTC+5" in implicit_corruptions()["fact_contradiction"]


def test_another_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="give P1"):
        explicit_responses("P3")  # type: ignore[arg-type]


def loaded(code: str) -> set[str]:
    """The top packages that a new interpreter has loaded after this code; some distributions load their own first."""
    code = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_import_is_light() -> None:
    foreign = loaded("import sealegs.faults") - loaded("") - set(sys.stdlib_module_names)
    light = {"sealegs", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
    assert {name for name in foreign if not name.startswith("_")} <= light | {"jsonschema_rs"}
