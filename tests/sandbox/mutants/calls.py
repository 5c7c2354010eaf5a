"""A call that the filter does not permit, permitted on a machine of its own: what the host sees of it there.

    python -m tests.sandbox.mutants.calls '{"row": ["keyctl", 250, 219, "1 0"], "guards": ["bubblewrap"]}'

Prints a line of JSON: all that any call changed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from tests.sandbox.mutants.own_machine import run_on_own_machine


def changes_by(row: tuple[str, int, int, str], guards: Iterable[str], seconds: float = 150.0) -> set[str]:
    """What is changed by a call of this name, numbers (x86-64, aarch64) and form, without these guards."""
    asked = json.dumps({"row": row, "guards": sorted(guards)})
    run = run_on_own_machine(["-m", "tests.sandbox.mutants.calls", asked], as_user=False, seconds=seconds)
    assert run.returncode == 0, run.stderr[-1000:]
    return set(json.loads(run.stdout.splitlines()[-1]))


def main() -> None:
    from sealegs.sandbox import allowed_calls, seccomp
    from tests.sandbox.mutants.guards import remove_guards

    asked = json.loads(sys.argv[1])
    name, x86, arm, takes = asked["row"]
    row = seccomp.SyscallEntry(name, {"x86_64": x86, "aarch64": arm}, "always", takes)
    # This call alone, and all that a kernel itself needs.
    quiet = [one._replace(takes="!not asked for") for one in seccomp.syscall_table()]
    seccomp.syscall_table = allowed_calls.syscall_table = lambda: (*quiet, row)  # type: ignore[assignment]
    allowed_calls.PLACE = "/var/tmp"
    place = remove_guards(frozenset(asked["guards"]))
    for kind in (allowed_calls.Bubblewrap, allowed_calls.Bare):
        whole = kind.confinement

        def confinement(self: Any, *given: Any, whole: Any = whole) -> dict[str, Any]:
            return place.without_guards(whole(self, *given))

        kind.confinement = confinement  # type: ignore[method-assign]
    changed = {what for attempt in allowed_calls.try_calls(place) for what in attempt.did}
    print(json.dumps(sorted(changed)))


if __name__ == "__main__":
    main()
