"""The page of `paladin`: what stands on it, and that it opens in a browser without asking the network for anything."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from sealegs.cli.output import write_atomically
from sealegs.reports.paladin_page import PaladinPage, choose_paladin_episodes, render_paladin_page
from sealegs.scenarios.labelled_failures.failures import classes
from sealegs.suites.paladin.backbone_run import run_scripted_backbone
from sealegs.suites.paladin.judged_arms import JudgedArms, judge_paladin_runs
from sealegs.suites.paladin.options import PaladinOptions
from tests import needs
from tests.reports.test_browser import CHROMIUM, FLAGS


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> JudgedArms:
    folder = tmp_path_factory.mktemp("logs")
    for arm in ("vanilla", "toolbench", "paladin"):
        settings = PaladinOptions(agent="follows_prompt", arm=arm, limit=3)
        run_scripted_backbone(settings, folder / settings.name, lambda done, total: None, jobs=1)
    return judge_paladin_runs(folder)


def made(runs: JudgedArms) -> str:
    return render_paladin_page(PaladinPage(runs.rows, runs.episodes, runs.facts, ["a note & more"]))


def test_everything_is_on_the_page(runs: JudgedArms) -> None:
    page = made(runs)
    agents = [f"{arm}/follows_prompt" for arm in ("vanilla", "toolbench", "paladin")]
    for words in (*agents, *classes(), "dead end", "Gemma-3"):
        assert words in page
    assert "a note &amp; more" in page
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert made(runs) == page
    tsr = {row["agent"]: row["value"] for row in runs.rows if (row["level"], row["metric"]) == ("all", "tsr")}
    for value in tsr.values():
        assert f"<b>{value:.1f}</b>" in page or f">{value:.1f}" in page or value in (0, 100)
    agent = "paladin/follows_prompt"
    one = {(agent, "eval"): runs.episodes[agent, "eval"]}
    own = [row for row in runs.rows if row["agent"] == agent]
    single = render_paladin_page(PaladinPage(own, one, runs.facts, []))
    assert "Fewer than three runs" in single
    assert "vanilla/follows_prompt" not in single


def test_of_several_runs_the_episode_that_parts_them_is_shown_under_each(runs: JudgedArms) -> None:
    shown = choose_paladin_episodes(runs.episodes)
    assert [run for run, _ in shown] == list(runs.episodes)
    assert len({played[0].episode for _, played in shown}) == 1
    assert {played[2].success for _, played in shown} == {True, False}
    assert choose_paladin_episodes({}) == []


@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
def test_it_opens(runs: JudgedArms, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_atomically(file, made(runs))
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert "paladin/follows_prompt" in done.stdout
    assert done.stdout.count("<svg") > 5
    assert ":CONSOLE" not in done.stderr
