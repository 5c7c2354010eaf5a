"""The scripts of docs/many-machines.md: each is what its system reads, and its commands do what the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import blocks

PAGE = "docs/many-machines.md"
SMALL = "--limit 1 --levels C1 --modes NP,P1"
OF = 2


def block(language: str, beginning: str) -> str:
    (found,) = (one.text for one in blocks(PAGE) if one.language == language and one.text.startswith(beginning))
    return found


def slurm() -> str:
    return block("sh", "#!/bin/bash")


def kubernetes() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(block("yaml", "# job.yaml"))
    return found


def actions() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(block("yaml", "# shards.yaml"))
    return found


def steps(job: str) -> list[str]:
    """What a job of the workflow runs of Sealegs."""
    return [step["run"] for step in actions()["jobs"][job]["steps"] if step.get("run", "").startswith("sealegs ")]


def pod() -> Mapping[str, Any]:
    found: Mapping[str, Any] = kubernetes()["spec"]["template"]["spec"]["containers"][0]
    return found


def test_the_scripts_of_shells_are_read_by_them() -> None:
    scripts = [slurm(), *(one.text for one in blocks(PAGE) if one.language == "sh"), *pod()["args"]]
    for script in scripts:
        done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), script


def test_slurm_reads_its_lines_before_the_first_command() -> None:
    lines = slurm().splitlines()
    directives = [line for line in lines if line.startswith("#SBATCH ")]
    assert lines[1 : 1 + len(directives)] == directives
    assert "#SBATCH --array=1-8" in directives


def test_the_job_has_as_many_indices_as_shards() -> None:
    job = kubernetes()
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never", "what a limit for each index needs"
    assert f'"$part/{job["spec"]["completions"]}"' in pod()["args"][0]
    mounted = {mount["name"]: mount["mountPath"] for mount in pod()["volumeMounts"]}
    assert mounted.keys() == {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
    assert all(path.startswith(f"{mounted['runs']}/") for path in re.findall(r"/runs\S*", pod()["args"][0]))


def test_the_workflow_merges_what_the_matrix_uploads() -> None:
    jobs = actions()["jobs"]
    assert jobs["merge"]["needs"] == "shard"
    numbers = jobs["shard"]["strategy"]["matrix"]["part"]
    assert numbers == list(range(1, len(numbers) + 1))
    sent = [step["with"] for step in jobs["shard"]["steps"] if "upload-artifact" in step.get("uses", "")]
    got = [step["with"] for step in jobs["merge"]["steps"] if "download-artifact" in step.get("uses", "")]
    assert sent == [{"name": "part-${{ matrix.part }}", "path": "part"}]
    assert got == [{"pattern": "part-*", "path": "parts"}]


def by_slurm(run: Callable[..., None]) -> None:
    for number in range(1, OF + 1):
        run(slurm(), SLURM_ARRAY_TASK_ID=str(number), SLURM_ARRAY_TASK_COUNT=str(OF))
    texts = (one.text for one in blocks(PAGE))
    (command,) = (found for text in texts for found in re.findall(r'--wrap="(sealegs merge [^"]*)"', text))
    run(command)


def by_kubernetes(run: Callable[..., None]) -> None:
    script = pod()["args"][0].replace('"$part/8"', f'"$part/{OF}"').replace("/runs/", "")
    for index in range(OF):
        run(script, JOB_COMPLETION_INDEX=str(index))
    page = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
    (command,) = re.findall(r"`(sealegs merge /runs/[^`]*)`", page)
    run(command.replace("/runs/", ""))


def by_actions(run: Callable[..., None]) -> None:
    (command,), (merge,) = steps("shard"), steps("merge")
    assert {"${{ matrix.part }}", "${{ strategy.job-total }}"} == set(re.findall(r"\$\{\{.*?\}\}", command))
    for number in range(1, OF + 1):
        shard = command.replace("${{ matrix.part }}", str(number)).replace("${{ strategy.job-total }}", str(OF))
        run(f"{shard} && mkdir -p parts && mv part parts/part-{number}")
    run(merge)


@pytest.mark.slow
@pytest.mark.parametrize("system", [by_slurm, by_kubernetes, by_actions])
def test_the_commands_make_what_one_process_makes(
    system: Callable[[Callable[..., None]], None], tmp_path: Path
) -> None:
    shim = tmp_path / "bin" / "sealegs"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sealegs "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    path = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"

    def run(script: str, **variables: str) -> None:
        small = script.replace("sealegs run maze", f"sealegs run maze {SMALL}")
        env = {**os.environ, "PATH": path, **variables}
        done = subprocess.run(["bash", "-ec", small], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{small}\n{done.stdout}{done.stderr}"

    system(run)
    run("sealegs run maze --agent planner --jobs 1 --out one")
    for name in ("run.json", "episodes.jsonl"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
