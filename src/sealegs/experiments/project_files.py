"""The files that `sealegs init` writes: the glue, a plan, a test and a CI job, made from `templates/`.

All are made before the first is written, and none takes the place of one that is there.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from sealegs.experiments.project_glue import glue_parts
from sealegs.experiments.project_scan import ScannedProject
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import check_folder, write_atomically

GLUE, PLAN, TEST, WORKFLOW = "sealegs_agent.py", "plan.yaml", "test_faults.py", ".github/workflows/sealegs.yml"
SERVERS = "sealegs-mcp.json"
ELSEWHERE = "name another folder"


def project_files(project: ScannedProject) -> dict[str, str]:
    """The files for a project by their names, the most important first."""
    if project.javascript:
        return {SERVERS: _servers(project), PLAN: _plan(()), WORKFLOW: _javascript_workflow(project)}
    glue, values = glue_parts(project)
    return {
        GLUE: fill_template(glue, **values),
        PLAN: _plan(tuple(project.tools)),
        TEST: fill_template("test_faults"),
        WORKFLOW: fill_template(
            "workflow",
            setup="",
            extras=f"[{','.join(one for one in (project.framework.extra, 'report') if one)}]",
            requirements=f" {project.requirements}" if project.requirements else "",
            agent="sealegs_agent:run",
            options=" --check sealegs_agent:check",
        ),
    }


def fill_template(name: str, **values: str) -> str:
    """A template with its places filled."""
    text = (files("sealegs.experiments") / "templates" / f"{name}.txt").read_text("utf-8")
    return Template(text).substitute(values)


def write_project_files(folder: Path, texts: dict[str, str]) -> None:
    """Write all files, or none.

    Raises:
        UserError: one is there already, or cannot be written; then none is left behind that was not there.
    """
    there = [name for name in texts if (folder / name).exists() or (folder / name).is_symlink()]
    if there:
        names = f"{', '.join(there)} {'is' if len(there) == 1 else 'are'}"
        raise UserError(
            f"{names} in {folder.resolve()} already, and nothing is overwritten; move them away, or see with --dry-run "
            "what would be written"
        )
    for name in texts:
        check_folder((folder / name).parent, ELSEWHERE)
    written: list[Path] = []
    try:
        for name, text in texts.items():
            write_atomically(folder / name, text, ELSEWHERE)
            written.append(folder / name)
    # Also where Ctrl-C came in between: half a project's files would be in the way of the next try.
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        raise


def next_steps(project: ScannedProject) -> list[str]:
    """The next steps of the user, a command a line, each with its purpose."""
    if project.javascript:
        agent = _javascript_agent(project)
        far = {name: one["url"] for name, one in project.mcp_servers.items() if "url" in one}
        return [
            *(
                f"sealegs proxy --url {url}   # {name} has an address: give the client this one's"
                for name, url in far.items()
            ),
            f"give the agent's MCP client {SERVERS} in place of its own settings",
            f'sealegs test {agent} --plan {PLAN} --input "..."   # the agent without faults and under faults',
        ]
    return [
        "sealegs doctor sealegs_agent:run   # are the tools reached?",
        f"sealegs test sealegs_agent:run --check sealegs_agent:check --plan {PLAN}   # does the agent hold?",
        f"pytest {TEST}",
    ]


def _plan(tools: tuple[str, ...]) -> str:
    return fill_template("plan", tools=f", such as {', '.join(tools[:6])}" if tools else "")


def _servers(project: ScannedProject) -> str:
    """A client's settings with the proxy before each server. Without SEALEGS_PLAN it passes everything unchanged."""
    example: dict[str, Any] = {"EDIT-the-server": {"command": "node", "args": ["EDIT-the-server.js"]}}
    behind = {name: _behind_proxy(one) for name, one in (project.mcp_servers or example).items()}
    return json.dumps({"mcpServers": behind}, indent=2) + "\n"


def _behind_proxy(server: dict[str, Any]) -> dict[str, Any]:
    """A server's settings with the proxy before it; one with an address needs a proxy of its own that listens."""
    if "command" not in server:
        return server
    return {**server, "command": "sealegs", "args": ["proxy", "--", server["command"], *server.get("args", [])]}


def _javascript_workflow(project: ScannedProject) -> str:
    return fill_template(
        "workflow",
        setup="      - uses: actions/setup-node@v4\n      - run: npm ci\n",
        extras="[report]",
        requirements="",
        agent=_javascript_agent(project),
        options=' --input "EDIT what the agent is asked"',
    )


def _javascript_agent(project: ScannedProject) -> str:
    """The command of the agent, in quotes: the script of package.json that is likely to run it."""
    try:
        scripts = json.loads((project.folder / "package.json").read_text("utf-8")).get("scripts", {})
    except (OSError, ValueError, AttributeError):
        scripts = {}
    script = next((name for name in ("agent", "start", "dev") if name in scripts), "")
    return f'"npm run --silent {script} -- {{input}}"' if script else '"node agent.js {input}"'
