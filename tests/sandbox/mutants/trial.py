"""One mutant on a machine of its own: what the verdict on an escape says once guards are removed.

    python -m tests.sandbox.mutants.trial '{"escape": "fork-bomb", "guards": ["seccomp"], "smaller": {}}'

Prints a line of JSON: the signs of an escape. `try_mutant` starts it there.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping

from tests.sandbox.mutants.own_machine import loopback_up, run_on_own_machine, serve_names

SECONDS = 150.0


def try_mutant(
    escape: str, guards: Iterable[str], smaller: Mapping[str, str], as_user: bool, seconds: float = SECONDS
) -> list[str]:
    """The signs of an escape that the verdict has without these guards; how the machine's host ended is one too."""
    asked = json.dumps({"escape": escape, "guards": sorted(guards), "smaller": dict(smaller)})
    try:
        run = run_on_own_machine(["-m", "tests.sandbox.mutants.trial", asked], as_user, seconds)
    except subprocess.TimeoutExpired:
        return ["the host did not come to an end"]
    lines = [line for line in run.stdout.splitlines() if line.startswith("[")]
    if not lines:
        return [f"the host ended with {run.returncode}: {run.stderr.strip()[-300:]}"]
    return [str(one) for one in json.loads(lines[-1])]


def main() -> None:
    from sealegs.sandbox.escapes import escapes, try_escape
    from tests.sandbox.mutants.guards import remove_guards

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loopback_up()
    serve_names()
    asked = json.loads(sys.argv[1])
    (escape,) = [one for one in escapes() if one.name == asked["escape"]]
    for old, new in asked["smaller"].items():
        assert old in escape.code, f"{escape.name} has no {old!r}"
        escape = escape.model_copy(update={"code": escape.code.replace(old, new)})
    place = remove_guards(frozenset(asked["guards"]))
    try:
        verdict = try_escape(place, escape)
    except Exception as error:
        signs = [f"the host failed: {type(error).__name__}: {error}"]
    else:
        signs = list(verdict.why)
    # Of many that are alike, the first few say it.
    signs = [*signs[:20], *signs[20:][-3:]]
    print(json.dumps(signs), flush=True)


if __name__ == "__main__":
    main()
