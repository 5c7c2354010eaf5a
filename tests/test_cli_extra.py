"""What works on the base install, without the extra `cli`, and what is said where that is needed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sealegs.cli_extra import PACKAGES
from tests import needs

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COMMAND = "import runpy\nsys.argv = ['sealegs', '--help']\nrunpy.run_module('sealegs', run_name='__main__')"
RUN = 'run: pip install "sealegs[cli]"'
REMEDY = f"needs bm25s, numpy, rich, pystemmer, typer; {RUN}"
MB = 1_000_000
AGENT = '''
from pathlib import Path
from sealegs import Recorder, Session, VirtualClock, read_plan, wrap
from sealegs.recovery.recovery_plan import read_recovery_plan
from sealegs.traces import Store, build_record

def look(place: str) -> str:
    """Look there."""
    return f"{place} is calm"

Path("plan.yaml").write_text("{name: p, rules: [{match: {tool: look}, when: {first: 1}, fault: {kind: error}}]}")
Path("recovery.yaml").write_text("tools: {look: {effects: false}}")
clock = VirtualClock()
recorder = Recorder(clock)
layers = [read_recovery_plan("recovery.yaml").layer()]
recorder.start("first", {})
print(wrap(look, Session(read_plan("plan.yaml"), clock=clock, watcher=recorder, layers=layers))("bow"))
recorder.finish("answered")
store = Store(Path("records.jsonl"))
store.append(recorder.events)
store.close()
print(sum(len(turn.injections) for turn in build_record(recorder.events).turns))
'''
TESTS = """
import pytest
import sealegs

PLAN = {"name": "p", "rules": [{"match": {"tool": "*"}, "fault": {"kind": "error", "status": 503}}]}

@sealegs.tool
def look() -> str:
    return "calm"

@pytest.mark.faults(PLAN)
def test_once(faults):
    with pytest.raises(Exception, match="Service Unavailable"):
        look()
"""
RUNS = """
@pytest.mark.faults(PLAN, runs=2)
def test_runs():
    try:
        look()
    except Exception as error:
        assert "Unavailable" in str(error)
"""


def ran(code: str, place: Path, without: Iterable[str] = PACKAGES) -> subprocess.CompletedProcess[str]:
    """Some code in a fresh interpreter in which the import of these modules fails, as if they were not installed."""
    hide = f"import sys\nsys.modules.update(dict.fromkeys({list(without)}))\n"
    return subprocess.run([sys.executable, "-c", hide + code], cwd=place, capture_output=True, text=True)


def test_the_packages_are_those_of_the_extra() -> None:
    extra = {Requirement(one).name for one in PROJECT["optional-dependencies"]["cli"]}
    assert extra == {*PACKAGES.values()}


def test_the_command_says_what_it_needs(tmp_path: Path) -> None:
    done = ran(COMMAND, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"sealegs: the command `sealegs` {REMEDY}\n")


@pytest.mark.parametrize(("module", "package"), PACKAGES.items())
def test_one_missing_package_is_named(module: str, package: str, tmp_path: Path) -> None:
    pytest.importorskip("typer", reason=needs.module("typer"))
    done = ran(COMMAND, tmp_path, [module])
    assert done.stderr == f'sealegs: the command `sealegs` needs {package}; run: pip install "sealegs[cli]"\n'


def test_faults_records_and_recovery_need_none_of_it(tmp_path: Path) -> None:
    done = ran(AGENT, tmp_path)
    assert (done.returncode, done.stdout) == (0, "bow is calm\n1\n"), done.stderr
    assert (tmp_path / "records.jsonl").stat().st_size > 0


@pytest.mark.parametrize("name", ["check", "experiment"])
def test_a_measurement_says_what_it_needs(name: str, tmp_path: Path) -> None:
    done = ran(f"import sealegs\nsealegs.{name}", tmp_path)
    assert done.stderr.endswith(f"sealegs.faults.user_error.UserError: sealegs.{name} {REMEDY}\n")


def test_a_recovery_plan_that_searches_says_so_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "recovery.yaml").write_text("policies: [advise]")
    code = "from sealegs.recovery.recovery_plan import read_recovery_plan\nread_recovery_plan('recovery.yaml').layer()"
    wanted = f"UserError: a search of the exemplar bank needs bm25s, numpy, pystemmer; {RUN}\n"
    assert ran(code, tmp_path).stderr.endswith(wanted)
    pytest.importorskip("bm25s", reason=needs.module("bm25s"))
    assert ran(code, tmp_path, ["rich", "typer"]).returncode == 0  # what it does not import is not asked for


def test_marks_work_and_those_with_runs_say_what_they_need(tmp_path: Path) -> None:
    words = ["-q", "-p", "no:cacheprovider", "-p", "sealegs.adapters.pytest", "test_it.py"]
    alone = "import os\nos.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'"  # other plugins warn, and take long
    code = f"{alone}\nimport pytest\nsys.exit(pytest.main({words}))"
    (tmp_path / "test_it.py").write_text(TESTS)
    done = ran(code, tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "test_it.py").write_text(TESTS + RUNS)
    done = ran(code, tmp_path)
    assert done.returncode == 4
    assert done.stderr == f"ERROR: a test with runs needs numpy, rich; {RUN}\n\n"
    pytest.importorskip("numpy", reason=needs.module("numpy"))
    done = ran(code, tmp_path, ["bm25s", "Stemmer", "typer"])
    assert done.returncode == 0, done.stdout + done.stderr  # what it does not import is not asked for


def required(names: Iterable[str]) -> set[str]:
    """These packages and all that they need here."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        wanted = map(Requirement, distribution(name).requires or ())
        left += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def installed_size(package: str) -> int:
    """The bytes of a package's files, what was compiled included."""
    places = [Path(str(file.locate())) for file in distribution(package).files or ()]
    return sum(place.stat().st_size for place in places if place.exists())


def test_the_base_install_stays_small() -> None:
    """Of the 60 MB that the base install may have, Sealegs' own compiled files take about 12 and its sources 10."""
    needed = required(Requirement(one).name for one in PROJECT["dependencies"])
    assert not {name.lower() for name in needed} & {*PACKAGES.values(), "scipy", "pygments"}
    assert sum(map(installed_size, needed)) < 34 * MB
    own = [file for file in (ROOT / "src").rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert sum(file.stat().st_size for file in own) < 12 * MB
