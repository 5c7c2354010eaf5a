"""The staged pipeline with scripted models: good ones, bad ones, silent ones, and stops at any moment."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.generate.staged import pipeline
from sealegs.generate.task_dataset import GenerationYield
from sealegs.scenarios.task_sets import task_set
from sealegs.tasks.yaml_tasks import task_data
from sealegs.world.corpus import load_corpus
from tests.generate.scripted_models import Answers, base, model, proposal, right


@pytest.fixture(autouse=True)
def cache_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", os.environ.get("INSPECT_CACHE_DIR", ""))


def sample_for(name: str) -> pipeline.Stage:
    """A stage of our own in the place of sampling: the tools of one base task, and one more."""

    async def sample(item: Mapping[str, Any]) -> dict[str, Any]:
        graph = base(name).graph
        groups = [group.pattern for group in graph.groups]
        return {"tools": [n.tool for n in graph.nodes if n.id in graph.steps] + ["dew_point"], "groups": groups}

    return sample


def made(out: Path, own: Answers = lambda stage, number: None, name: str = "c2-01", tries: int = 2) -> GenerationYield:
    os.environ["INSPECT_CACHE_DIR"] = str(out.with_name(f"{out.name}-cache"))  # each run has its own
    task, stages = base(name), {"sample": sample_for(name)}
    maker = model(task, own)
    return pipeline.generate_with_models([task.level], 1, 0, out, maker, maker, tries, lambda done, total: None, stages)


@pytest.mark.parametrize("name", ["c1-02", "c2-01", "c3-03", "c4-05"])
def test_a_good_model_makes_the_task_it_was_given(tmp_path: Path, name: str) -> None:
    found = made(tmp_path / "out", name=name)
    assert len(found.tasks) == 1
    (task,) = task_set(str(tmp_path / "out")).tasks.values()
    assert (task.graph, task.request) == (base(name).graph, base(name).request)
    assert not any(metric.startswith("bad answers") for metric in found.cost or {})
    (entry,) = (tmp_path / "out" / "stages" / "8-corruption.jsonl").read_text().splitlines()[1:]
    victims = json.loads(entry)["result"]["victims"]
    assert victims
    assert all(victim["used"] and len(victim["kinds"]) >= 2 for victim in victims.values())
    names = sorted(file.name for file in (tmp_path / "out" / "stages").iterdir())
    assert names == [f"{n}-{stage}.jsonl" for n, stage in enumerate(pipeline.STAGES, 1)]


def broken(change: Mapping[str, Any] | None = None, step: int = 0, **arguments: Any) -> str:
    """The proposal of c2-01 with one step changed."""
    found = proposal(base("c2-01"))
    found["steps"][step] = {**found["steps"][step], **(change or {})}
    found["steps"][step]["arguments"] = {
        name: source for name, source in {**found["steps"][step]["arguments"], **arguments}.items() if source
    }
    return json.dumps(found)


STEPS = proposal(base("c2-01"))["steps"]
FIRST = next(iter(STEPS[0]["arguments"]))
LAST = next(name for name, source in STEPS[-1]["arguments"].items() if "step" in source)


@pytest.mark.parametrize(
    ("stage", "text", "reason"),
    [
        ("architect", "I would rather not.", "invalid JSON"),
        ("architect", '{"steps": []}', "wrong form"),
        ("architect", "", "no answer"),
        ("architect", "raise", "no answer (TimeoutError)"),
        ("architect", broken(**{FIRST: None}), "missing argument"),
        ("architect", broken(step=-1, **{LAST: {"step": STEPS[0]["id"], "field": "no_such_field"}}), "wrong binding"),
        ("architect", broken({"tool": "launch_rocket", "group": ""}), "unknown tool"),
        ("architect", broken(surprise={"constant": 1}), "unknown argument"),
        ("meaning", "[]", "wrong form"),
        ("meaning", "all is well", "invalid JSON"),
        ("specification", "Something about an account.", "missing value"),
        (
            "request",
            f"{base('c2-01').request} Use {base('c2-01').graph.steps[STEPS[0]['id']].tool}.",
            "leaked tool name",
        ),
        ("request", "", "no answer"),
        ("reverse", "no idea", "invalid JSON"),
    ],
)
def test_a_bad_answer_is_counted_and_asked_for_again(tmp_path: Path, stage: str, text: str, reason: str) -> None:
    once = made(tmp_path / "once", lambda at, number: text if (at, number) == (stage, 0) else None)
    assert len(once.tasks) == 1
    assert (once.cost or {})[f"bad answers: {reason}"] == 1

    never = made(tmp_path / "never", lambda at, number: text if at == stage else None, tries=1)
    assert never.tasks == []
    assert never.fell == {("C2", stage): pipeline.PATIENCE}
    assert (never.cost or {})[f"bad answers: {reason}"] == 2 * pipeline.PATIENCE


def test_a_cyclic_graph_is_called_one(tmp_path: Path) -> None:
    found = proposal(base("c1-02"))
    first, last = found["steps"][0], found["steps"][-1]
    field = next(iter(load_corpus().tools[last["tool"]].spec.returns["properties"]))
    first["arguments"] = {name: {"step": last["id"], "field": field} for name in first["arguments"]}
    cyclic = json.dumps(found)
    done = made(tmp_path, lambda at, number: cyclic if (at, number) == ("architect", 0) else None, name="c1-02")
    assert (done.cost or {})["bad answers: cyclic graph"] == 1


@pytest.mark.parametrize(
    ("stage", "text", "reason"),
    [
        ("meaning", '{"wrong": [{"line": 1, "why": "net is not gross"}]}', "wrong meaning"),
        ("reverse", '{"calls": [{"tool": "dew_point", "needs": []}]}', "not equal to a solution"),
    ],
)
def test_what_the_second_model_denies_falls(tmp_path: Path, stage: str, text: str, reason: str) -> None:
    found = made(tmp_path, lambda at, number: text if at == stage else None)
    assert found.tasks == []
    assert found.fell == {("C2", stage): pipeline.PATIENCE}
    number = 1 + pipeline.STAGES.index(stage)
    lines = (tmp_path / "stages" / f"{number}-{stage}.jsonl").read_text().splitlines()
    assert [json.loads(line)["fell"] for line in lines[1:]] == [reason] * pipeline.PATIENCE


def test_equal_tools_are_a_duplicate(tmp_path: Path) -> None:
    os.environ["INSPECT_CACHE_DIR"] = str(tmp_path / "cache")
    task, stages = base("c2-01"), {"sample": sample_for("c2-01")}
    maker = model(task)
    found = pipeline.generate_with_models(["C2"], 2, 0, tmp_path, maker, maker, 1, lambda done, total: None, stages)
    assert len(found.tasks) == 1
    assert found.fell == {("C2", "duplicate"): 2 * pipeline.PATIENCE - 1}


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def until(stage: str) -> Answers:
        def answer(at: str, number: int) -> str | None:
            if at == stage:
                raise Killed
            return None

        return answer

    stages: list[str] = []

    def noted(at: str, n: int) -> None:
        stages.append(at)

    with pytest.raises(Killed):
        made(tmp_path, until("request"))
    found = made(tmp_path, noted)
    assert stages == ["request", "reverse"]
    assert len(found.tasks) == 1
    assert (found.cost or {})["calls"] == 5  # those before the stop count too
    again: list[str] = []
    assert made(tmp_path, lambda at, n: again.append(at)).tasks == found.tasks  # type: ignore[func-returns-value]
    assert again == []


def test_sampling_is_balanced_and_of_the_level(tmp_path: Path) -> None:
    import asyncio

    from sealegs.generate.staged.generation_stages import SHAPES, SINGLES, Stages
    from sealegs.generate.staged.model_queries import PromptedModel

    asker = PromptedModel(model(base("c1-02")))
    stages = Stages(load_corpus(), asker, asker, seed=3)
    domains: dict[str, int] = {}
    for number in range(60):
        found = asyncio.run(stages.sample({"level": "C3", "number": number}))
        assert all(load_corpus().groups[name].kind in SHAPES["C3"] for name in found["groups"])
        for name in found["tools"]:
            domains[load_corpus().tools[name].domain] = domains.get(load_corpus().tools[name].domain, 0) + 1
    there = Counter(tool.domain for tool in load_corpus().tools.values())
    assert set(domains) == set(there)
    assert min(count for name, count in domains.items() if there[name] >= SINGLES) > 30


def test_what_comes_out_reads_back_as_plain_data() -> None:
    groups = load_corpus().groups
    for name in ("c1-02", "c2-01", "c4-05"):
        data = task_data(base(name), groups)
        assert json.loads(json.dumps(data)) == data
        assert set(right(base(name))) == {"architect", "meaning", "specification", "request", "reverse"}
