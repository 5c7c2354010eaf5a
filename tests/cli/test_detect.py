"""`sealegs detect`: learn from a file of records, check another, measure on the suite."""

import json
from pathlib import Path

from sealegs.engines.direct import play_scenario
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES
from sealegs.scenarios.scenario import list_scenarios
from sealegs.traces.store import Store
from tests.cli.test_run import sealegs


def write_records(file: Path, mode: str, limit: int, after: int = 0) -> None:
    store = Store(file)
    for episode in list_scenarios(("C1",), (mode,), limit=limit, implicit=PUBLISHED_FAMILIES)[after:]:
        store.append(play_scenario(episode, "naive"))
    store.close()


def test_learn_and_check(tmp_path: Path) -> None:
    write_records(tmp_path / "clean.jsonl", "NP", 40)
    write_records(tmp_path / "faulty.jsonl", "P3", 15)
    done = sealegs("detect", "learn", "clean.jsonl", "--out", "profiles.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "answers" in done.stdout
    checked = sealegs("detect", "check", "faulty.jsonl", "--profiles", "profiles.json", "--json", "-", cwd=tmp_path)
    assert checked.returncode == 1, checked.stderr
    found = json.loads(checked.stdout)
    assert 5 <= found["called_wrong"] <= found["answers"] / 2
    assert set(found["rows"][0]) == {"episode", "call", "tool", "family", "fields", "kind", "score", "reason"}
    shown = sealegs("detect", "check", "faulty.jsonl", "--profiles", "profiles.json", cwd=tmp_path)
    assert found["rows"][0]["reason"][:30] in shown.stdout
    assert f"{found['called_wrong']} of {found['answers']} answers are called wrong." in shown.stdout
    fine = sealegs("detect", "check", "clean.jsonl", "--profiles", "profiles.json", "--no-drift", cwd=tmp_path)
    assert fine.returncode == 0, fine.stdout


def test_bad_input_is_one_message(tmp_path: Path) -> None:
    write_records(tmp_path / "clean.jsonl", "NP", 3)
    (tmp_path / "profiles.json").write_text("{}", encoding="utf-8")
    for given, words in (
        (("learn", "none.jsonl", "--out", "p.json"), "none.jsonl"),
        (("check", "clean.jsonl", "--profiles", "profiles.json"), "holds no profiles"),
        (("measure", "hunt"), "unknown suite 'hunt'"),
        (("measure", "maze", "--more", "nowhere"), "nowhere"),
    ):
        done = sealegs("detect", *given, cwd=tmp_path)
        assert done.returncode == 2
        assert words in done.stderr.replace("\n", "")
    assert not (tmp_path / "p.json").exists()


def test_measure(tmp_path: Path) -> None:
    done = sealegs("detect", "measure", "maze", "--limit", "9", "--no-recover", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    declared = [row for row in found["rows"] if row["metric"] == "declared, 1 % per answer" and row["mode"] == "all"]
    assert [row["value"] for row in declared] == [100.0]
    assert list(found["learned_from"]) == ["half of the base tasks"]
    journal = tmp_path / "sealegs-logs" / "detect-maze-limit9" / "parts.jsonl"
    whole = journal.read_text(encoding="utf-8")
    journal.write_text(whole[: int(len(whole) * 0.8)], encoding="utf-8")  # killed in the midst of the second part
    command = ("detect", "measure", "maze", "--limit", "9", "--no-recover", "--json", "-")
    again = sealegs(*command, cwd=tmp_path)
    assert json.loads(again.stdout) == found
    assert journal.read_text(encoding="utf-8") == whole
    other = sealegs(*command[:4], "8", *command[5:], "--out", "sealegs-logs/detect-maze-limit9", cwd=tmp_path)
    assert other.returncode == 2
    assert "limit was 9, is 8" in other.stderr
