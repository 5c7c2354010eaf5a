"""Runs of an eval: what is counted, by hand; what is kept when a run is killed; the messages for bad input."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from sealegs.engines.logs import LogError, suite_of
from sealegs.faults.user_error import UserError
from sealegs.scoring.eval_metrics import EvalResult
from sealegs.suites.inspect_eval.eval_judging import judged_episodes
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs, read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import EvalRunner
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE
from tests.suites.inspect_eval.played import (
    OUTAGE,
    SEALEGS,
    calls,
    injections,
    named,
    options_for,
    play,
    rows,
    sealegs,
    values,
)


def judged(logs: EvalLogs) -> dict[tuple[str, str], EvalResult]:
    return {(one.mode, one.sample): one for one in judged_episodes(logs)}


def ran(logs: EvalLogs, key: EvalEpisode) -> list[tuple[str, bool]]:
    """Each of the agent's calls with whether the tool did its work."""
    record = logs.played[key].record
    assert record is not None
    return [(turn.call.tool, turn.worked) for turn in record.own]


def test_what_is_kept_by_hand_count(tmp_path: Path) -> None:
    logs = play(tmp_path, "plain", "patient", modes="NP,P1,P2")
    found = judged(logs)
    kept = dict.fromkeys(("P1", "P2"), 0)
    for (mode, sample), result in found.items():
        if mode == "NP":
            assert result.solved
            continue
        orders = [worked for tool, worked in ran(logs, EvalEpisode(mode, sample, 1)) if tool == "order"]
        wanted = 1 + int(sample[1:]) % 3  # how many items the sample asks for
        solved = sum(orders) == wanted
        assert result.solved == solved, f"{mode} {sample}: {orders}"
        assert result.exposed
        kept[mode] += solved
    metrics = values(tmp_path)
    assert metrics["NP", "clean"] == 100
    for mode, count in kept.items():
        assert metrics[mode, "kept"] == metrics[mode, "faulted"] == round(100 * count / 6, 2)
        assert metrics[mode, "exposed"] == 100
        assert metrics[mode, "faulted_difference"] == round(100 * count / 6 - 100, 2)
    faulted = [hit for key, hits in injections(logs).items() if key.mode == "P1" for hit in hits]
    lost = [tool for tool, _, _, _, moment, _ in faulted if tool == "order" and moment == "after"]
    assert kept["P1"] == 6 - len(lost), "what a patient clerk loses in passing is an order that was done already"
    assert 0 < len(lost) < 6


def test_extra_calls_and_stops_by_hand_count(tmp_path: Path) -> None:
    logs = play(tmp_path, "plain", "patient", modes="P2")
    clean, faulted = judged(logs), []
    for (mode, sample), result in judged(logs).items():
        if mode == "P2":
            own, before = (len(calls(logs.played[EvalEpisode(at, sample, 1)])) for at in ("P2", "NP"))
            assert result.extra_calls == own - before
            assert result.right_stop == (not result.solved), "every tool that it needs is gone, and it says so"
            assert not result.early_stop
            faulted.append(result)
    assert len(faulted) == 6
    assert all(one.extra_calls == 0 for (mode, _), one in clean.items() if mode == "NP")
    metrics = values(tmp_path)
    assert metrics["P2", "extra_calls"] == round(sum(one.extra_calls for one in faulted) / 6, 2)
    assert metrics["P2", "right_stop"] == round(100 * sum(one.right_stop for one in faulted) / 6, 2)
    assert ("P1", "right_stop") not in metrics


def test_a_hasty_clerk_loses_what_is_struck(tmp_path: Path) -> None:
    logs = play(tmp_path, "plain", "hasty", modes="P1")
    lost = [one for one in judged(logs).values() if one.mode == "P1" and not one.solved]
    for sample in (f"s{number}" for number in range(6)):
        orders = [worked for tool, worked in ran(logs, EvalEpisode("P1", sample, 1)) if tool == "order"]
        assert judged(logs)["P1", sample].solved == (sum(orders) == 1 + int(sample[1:]) % 3)
    assert len(lost) >= 4, "only a last order that was done all the same is solved"
    assert values(tmp_path)["P1", "kept"] == round(100 * (6 - len(lost)) / 6, 2)
    assert all(one.right_stop and not one.early_stop for one in lost), "it tells of the failure that ended its work"


def test_a_doubled_effect_and_recovery_that_makes_none(tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(
        "tasks: [plain]\ntools:\n  look_up: {acts: false}\n  order: {acts: true, again: done again}\n", encoding="utf-8"
    )
    after, reading = tmp_path / "after.yaml", tmp_path / "reading.yaml"
    after.write_text(OUTAGE + "  moment: after\n")
    reading.write_text(OUTAGE.replace("order", "look_up"))

    def metrics_of(clerk: str, plan: Path, recovery: str) -> dict[str, float | None]:
        folder = tmp_path / f"{clerk}-{plan.stem}-{recovery}"
        play(folder, "plain", clerk, plan=str(plan), knowledge=str(known), recovery=recovery, limit=3)
        return {metric: value for (mode, metric), value in values(folder).items() if mode == "plan"}

    patient = metrics_of("patient", after, "off")
    assert (patient["doubled"], patient["kept"]) == (100, 0), "each first order is made twice"
    assert metrics_of("hasty", after, "active")["doubled"] == 0, "recovery repeats no action of unknown outcome"
    assert metrics_of("hasty", reading, "off")["kept"] == 0
    aided = metrics_of("hasty", reading, "active")
    assert (aided["kept"], aided["doubled"]) == (100, 0)
    assert (aided["extra_calls"] or 0) >= 1, "the calls that recovery made are counted"
    assert (aided["waits"] or 0) > 0


def test_epochs_are_episodes_of_their_own(tmp_path: Path) -> None:
    logs = play(tmp_path, "many_epochs", epochs=3)
    assert set(logs.played) == {
        EvalEpisode(mode, f"s{number}", epoch)
        for mode in ("NP", "P1", "P2")
        for number in range(3)
        for epoch in (1, 2, 3)
    }
    hits = injections(logs)
    drawn = {json.dumps(hits[EvalEpisode("P1", f"s{number}", epoch)]) for number in range(3) for epoch in (1, 2, 3)}
    assert len(drawn) > 3, "the fault is drawn anew for each epoch"
    again = play(tmp_path / "again", "many_epochs", epochs=3)
    assert injections(again) == hits
    one = play(tmp_path / "one", "many_epochs", epochs=1)
    assert injections(one) == {key: found for key, found in hits.items() if key.epoch == 1}


def test_what_is_missing_of_some_epochs_is_played_alone(tmp_path: Path) -> None:
    whole = play(tmp_path / "whole", "many_epochs", epochs=2)
    part = play(tmp_path / "part", "many_epochs", epochs=2, modes="NP")
    expected = rows(tmp_path / "whole")
    settings = tmp_path / "part" / "run.json"
    settings.write_text((tmp_path / "whole" / "run.json").read_text().replace('"unstruck"', '"seen"'))
    for log in list((tmp_path / "part").glob("*.eval"))[1:]:
        log.unlink()
    left = read_eval_logs(tmp_path / "part")
    assert 0 < len(left.played) < len(part.played)
    resumed = play(tmp_path / "part", "many_epochs", epochs=2)
    assert injections(resumed) == injections(whole)
    assert rows(tmp_path / "part") == expected


def test_the_headline_score_and_another(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE)
    more: dict[str, Any] = {"plan": str(plan), "limit": 3}
    first = play(tmp_path / "first", "by_hand", "liar", **more)
    assert first.scores == ("two_values.orders",)
    assert values(tmp_path / "first")["plan", "kept"] == 0, "a liar leaves the order undone"
    answered = play(tmp_path / "answered", "by_hand", "liar", score="two_values.answered", **more)
    assert answered.scores == ("two_values.answered",)
    assert values(tmp_path / "answered")["plan", "kept"] == 100
    assert any("two_values.answered" in note for note in SUITE.report(tmp_path / "answered").warnings)
    lenient = play(tmp_path / "lenient", "by_hand", "liar", solved_at=0.0, **more)
    assert lenient.facts["solved_at"] == 0
    assert values(tmp_path / "lenient")["plan", "kept"] == 100
    for wrong in ("nobody", "two_values.nothing"):
        with pytest.raises(
            UserError,
            match=rf"--score {wrong}: .* has no such score; choose from two_values.orders, two_values.answered",
        ):
            play(tmp_path / "wrong", "by_hand", "liar", score=wrong, **more)
        assert not list((tmp_path / "wrong").glob("*"))


@pytest.mark.slow
def test_a_killed_run_is_resumed_to_the_same_rows(tmp_path: Path) -> None:
    command = ["run", "inspect", "--task", named("plain"), "-T", "pause=0.15", "--model", "shopclerk/patient"]
    command += ["--modes", "NP,P1", "--connections", "2", "--json", "-"]
    whole = sealegs(*command, "--out", "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    for mode in ("NP", "P1"):
        with subprocess.Popen(
            [*SEALEGS, *command, "--out", "part"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            _wait_for(tmp_path / "part", mode)
            running.send_signal(signal.SIGKILL)
        assert _some_of(tmp_path / "part", mode)
    resumed = sealegs(*command, "--out", "part", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["rows"] == json.loads(whole.stdout)["rows"]
    assert suite_of(tmp_path / "part") == "inspect"
    assert suite_of(next((tmp_path / "part").glob("*.eval"))) == "inspect"
    again = sealegs(*command, "--out", "part", cwd=tmp_path)
    assert again.stdout == resumed.stdout
    page = sealegs("report", "part", cwd=tmp_path)
    assert page.returncode == 0, page.stderr
    assert "https://" not in (tmp_path / "part" / "report.html").read_text("utf-8")
    other = sealegs(*command, "--seed", "1", "--out", "part", cwd=tmp_path)
    assert other.returncode == 2
    assert "holds another run (seed was 0, is 1)" in other.stderr


def _wait_for(folder: Path, mode: str) -> None:
    """Wait until a sample of a mode is finished; logs are read again only when they have changed."""
    seen: list[tuple[str, int]] = []
    until = time.monotonic() + 300
    while time.monotonic() < until:
        now = sorted((file.name, file.stat().st_size) for file in folder.glob("*.eval"))
        if now != seen and _some_of(folder, mode):
            return
        seen = now
        time.sleep(0.05)


def _some_of(folder: Path, mode: str) -> bool:
    """Whether a sample of a mode is finished."""
    try:
        return any(key.mode == mode for key in read_eval_logs(folder).played)
    except (LogError, OSError):
        return False


def test_the_first_samples_are_those_of_the_first_command(tmp_path: Path) -> None:
    logs = play(tmp_path, "plain", modes="NP", limit=2)
    assert {key.sample for key in logs.played} == {"s0", "s1"}
    assert json.loads((tmp_path / "run.json").read_text())["samples"] == ["s0", "s1"]
    with pytest.raises(LogError, match="limit was 2, is 3"):
        EvalRunner(options_for("plain", modes="NP", limit=3), tmp_path)


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    for name in ("parcel_eval.py", "parcel_tools.yaml"):
        shutil.copy(Path(__file__).parents[3] / "examples" / name, tmp_path)
    found = {}
    for clerk, more in (("hasty", []), ("patient", []), ("hasty", ["--recovery", "active"])):
        out = f"{clerk}{len(more)}"
        command = ["run", "inspect", "--task", "parcel_eval.py@parcels", "--model", f"parcel/{clerk}", *more]
        command += ["--knowledge", "parcel_tools.yaml"]
        done = sealegs(*command, "--out", out, "--json", "-", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        table = json.loads(done.stdout)["rows"]
        found[out] = {(r["mode"], r["metric"]): r["value"] for r in table if r["level"] == "all"}
    assert {rates["NP", "clean"] for rates in found.values()} == {100.0}
    assert [found[out]["P1", "kept"] for out in ("hasty0", "patient0", "hasty2")] == [0.0, 100.0, 100.0]
    assert {rates["P2", "kept"] for rates in found.values()} == {0.0}, "there is no second way"
    assert {rates["P3", "exposed"] for rates in found.values()} == {100.0}
    assert found["hasty0"]["P2", "right_stop"] == 100.0


@pytest.mark.slow
def test_a_draft_of_what_is_known_can_be_given_back(tmp_path: Path) -> None:
    command = ["run", "inspect", "--task", named("plain"), "--model", "shopclerk/patient", "--limit", "3"]
    done = sealegs(*command, "--describe", "--out", "here", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    draft = tmp_path / "here" / "knowledge.yaml"
    assert "look_up" in draft.read_text("utf-8")
    assert "knowledge.yaml" in done.stderr
    assert {key.mode for key in read_eval_logs(tmp_path / "here").played} == {"NP"}
    unconfirmed = sealegs(*command, "--knowledge", str(draft), "--modes", "NP,P1", "--out", "there", cwd=tmp_path)
    assert unconfirmed.returncode == 0, unconfirmed.stderr
    logs = read_eval_logs(tmp_path / "there")
    assert all(one.record.exposed for key, one in logs.played.items() if key.mode == "P1" and one.record)


def test_a_limit_of_inspects_ends_an_episode_that_still_counts(tmp_path: Path) -> None:
    """A clerk that asks again runs into the eval's own limit under a fault, and not without one."""
    (tmp_path / "limited.py").write_text(
        "from inspect_ai import Task, task\n"
        "from inspect_ai.solver import generate, use_tools\n"
        "from tests.suites.inspect_eval.evals.shop import look_up, order, right_orders, samples\n\n\n"
        "@task\ndef limited():\n"
        "    solvers = [use_tools(look_up(), order()), generate()]\n"
        "    return Task(dataset=samples(1), solver=solvers, scorer=right_orders(), message_limit=6)\n"
    )
    options = InspectOptions(
        task=f"{tmp_path / 'limited.py'}@limited", model="shopclerk/patient", modes="P1", moment="before"
    ).checked()
    EvalRunner(options, tmp_path / "run").play(lambda done, total: None)
    logs = read_eval_logs(tmp_path / "run")
    (clean,), (hit,) = ([one for key, one in logs.played.items() if key.mode == mode] for mode in ("NP", "P1"))
    assert clean.value == 1
    assert hit.record is not None
    assert hit.record.end.reason == "limit"
    assert not hit.invalid
    assert values(tmp_path / "run")["P1", "invalid"] == 0
    assert hit.record.exposed


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    command = ["run", "inspect", "--task", named("plain"), "-T", "pause=0.4", "--model", "shopclerk/patient"]
    command += ["--modes", "NP", "--connections", "1"]
    with subprocess.Popen([*SEALEGS, *command, "--out", "part"], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        _wait_for(tmp_path / "part", "NP")
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=120)
    assert running.returncode == 130, stderr
    assert b"the same command resumes the run" in stderr
    assert b"Traceback" not in stderr
    before = len(read_eval_logs(tmp_path / "part").played)
    assert before < 6
    resumed = sealegs(*command, "--out", "part", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert len(read_eval_logs(tmp_path / "part").valid) == 6
