"""The proxy of level `mcp`, in a process of its own.

python -m sealegs.suites.micro.mcp_proxy PLAN EVENTS EPISODE COMMAND...
"""

from __future__ import annotations

import sys
from pathlib import Path

from sealegs.adapters.mcp.gate_recording import recorded_gate
from sealegs.adapters.mcp.pipe_relay import run_pipe_relay
from sealegs.faults.plan_files import read_plan


def main() -> int:
    """Relay between this process's pipes and the server that COMMAND starts; return the server's exit code."""
    plan, events, episode, *command = sys.argv[1:]
    with recorded_gate(read_plan(Path(plan)), episode=episode, events=Path(events)) as gate:
        return run_pipe_relay(command, gate)


if __name__ == "__main__":
    sys.exit(main())
