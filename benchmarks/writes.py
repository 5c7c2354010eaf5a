"""What a kill or a failing disk leaves of each command's work.

    python benchmarks/writes.py --json benchmarks/results/writes.json

For each write, rename, fsync, lock, fork and unlink of a small run of a command in turn: the command is killed there,
or the call fails; then the same command runs again, and every row that it leaves is compared with those of a run that
was never disturbed. What is killed may be the process that one run of an agent has to itself: that run crashed, as any
that is killed has, and it alone must be told so. Where there are too many points, some of each kind and file are drawn,
evenly.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import traceback
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

from call_faults import WAYS, CallPoint, CommandEnd, Way, points_by_kind, run_with_fault
from results_file import ROOT, join_results, write_results

sys.path.insert(0, str(ROOT))  # for what the tests make

Rows = Counter[tuple[str, str]]  # how often each row stands in each file
OUT, TEMPORARY = "out", "temporary"
TARGET = Path(__file__).parent / "results" / "writes.json"
KEPT = {".cache", ".config", ".sealegs-redaction-key"}  # hidden files that are meant to stay
PASSING = r"[0-9a-f]{8,}|(?<=sealegs-)\w{8}|(?<=temporary/)\w{8}\b|tmp\w+|\d+"  # what differs in names of one kind
OWN_FAULT = 70  # the exit code of a breakdown of Sealegs itself
CAMPAIGN = """default model=scripted/retrier
tip   unreachable   schedule=transient:1
"""
TWO = "run maze --agent planner --limit 2 --levels C1 --engine mcp --jobs 2"  # two chunks, one for each process
ENDING = ".chain"  # of the digests of records
MAZE = "run maze --agent planner --limit 1 --levels C1"
# What differs between equal trainings: times, how often it was resumed, and the order of a set and so its commas.
TRAINING = "sealegs.training.training_run"
TRAINERS = ("torch", "transformers.models.llama.modeling_llama", "datasets", "accelerate", "peft", "trl", TRAINING)
DRAWING = "sealegs.reports.losses"
MEASURED = r'"(?:seconds|waited|lives|tokens_per_second|waiting_share)": [\d.e+-]+|,$'
DATA = "data make clean --n 6 --jobs 1"


@dataclass(frozen=True, slots=True)
class WritingCommand:
    """A command that keeps something in the folder `out`.

    Attributes:
        name: of it, for tables.
        words: what is typed after `sealegs`.
        first: commands that make what it reads.
        usual: its exit codes where nothing goes wrong.
        noise: parts of lines that differ from run to run, such as seconds, and threads that were still there.
        warm: whether it may run in the process that all others are forked from; one that leaves threads may not.
        prepare: puts files that it reads beside `out`.
        journal: a file in `out` of how runs ended, each in a process of its own; the last row of each run counts.
        scratch: names of files and folders in `out` that a run keeps for itself, as a pattern; they are not compared.
        imports: modules that take long, and are imported in the process that all others are forked from.
    """

    name: str
    words: str
    first: tuple[str, ...] = ()
    usual: tuple[int, ...] = (0,)
    noise: str = ""
    warm: bool = True
    prepare: Callable[[Path], object] = lambda place: None
    journal: str = ""
    scratch: str = r"\."
    imports: tuple[str, ...] = ()


def _write_databases(place: Path) -> None:
    """The toy database of the tests, and two questions about it."""
    from tests.world.sql.test_library import PAIRS, write_pairs
    from tests.world.sql.toy import write_toy

    write_toy(place)
    write_pairs(place, PAIRS[:2])


def _write_model(place: Path) -> None:
    """The smallest model of the tests, rows and a recipe."""
    from tests.training.small import write_model, write_rows

    write_model(place / "model")
    write_rows(place / "train.jsonl", 4)
    settings = {"template": "qwen", "precision": "fp32", "context": 512, "batch": 1, "accumulation": 1, "epochs": 1}
    recipe = {"name": "small", "model": "model", "data": "train.jsonl", "save_every": 2, "lambda": 0.5, **settings}
    (place / "small.json").write_text(json.dumps({**recipe, "gradient_checkpointing": False}), encoding="utf-8")


COMMANDS = (
    WritingCommand("run maze", f"{MAZE} --jobs 1 --out out"),
    WritingCommand("run maze, 2 processes", f"{TWO} --out out"),
    WritingCommand("run maze over MCP", f"{MAZE} --modes P1 --engine mcp --jobs 1 --out out"),
    WritingCommand("run highwater", "run highwater --agent planner --limit 2 --jobs 1 --out out", warm=False),
    WritingCommand("highwater build", "highwater build . --jobs 1 --out out", prepare=_write_databases),
    WritingCommand("run paladin", "run paladin --agent paladin/follower --limit 1 --jobs 1 --out out"),
    WritingCommand(
        "campaign run",
        "campaign run small.campaign --jobs 1 --time-limit 20 --out out",
        noise=r'"(?:at|seconds|start_seconds|first_call_seconds|threads)": -?[\d.e-]+|"trace": "\w*"',
        journal="journal.jsonl",
    ),
    WritingCommand("data make", f"{DATA} --out out"),
    WritingCommand("maze generate", "maze generate --levels C1 --n 2 --jobs 1 --out out"),
    WritingCommand(
        "detect learn", "detect learn in/episodes.jsonl --out out/profiles.json", (f"{MAZE} --jobs 1 --out in",)
    ),
    WritingCommand("detect measure", "detect measure maze --limit 8 --no-recover --out out"),
    WritingCommand("hunt", "hunt maze/c1-01 --agent naive --runs 30 --findings 1 --out out", usual=(1,)),
    WritingCommand("report", "report in --html out/report.html", (f"{MAZE} --jobs 1 --out in",)),
    WritingCommand(
        "merge runs",
        "merge one two --out out",
        (f"{MAZE} --jobs 1 --shard 1/2 --out one", f"{MAZE} --jobs 1 --shard 2/2 --out two"),
    ),
    WritingCommand(
        "merge data", "merge one two --out out", (f"{DATA} --shard 1/2 --out one", f"{DATA} --shard 2/2 --out two")
    ),
    WritingCommand(
        "train",
        "train small.json --out out",
        noise=MEASURED,
        warm=False,
        prepare=_write_model,
        scratch=r"\.|checkpoint-",
        imports=(*TRAINERS, DRAWING),
    ),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault in one call of a command, and what came of it.

    Attributes:
        lost: rows that are missing after the same command ran again.
        doubled: rows that are there too often, or that no undisturbed run has.
        left: files of the disturbed process that are still there.
        wrong: what else went wrong, in words; empty where nothing did.
        crashed: whether the process of a single run was killed, and the command says so of that run.
    """

    command: str
    kind: str
    file: str
    number: int
    way: Way
    struck: bool
    lost: int = 0
    doubled: int = 0
    left: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    code: int | None = 0
    crashed: bool = False

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, doubled, left or wrong."""
        return not (self.lost or self.doubled or self.left or self.wrong)


@dataclass
class Course:
    """The trials of one command.

    Args:
        command: what is disturbed.
        base: a folder for its own.
        spoil: changes the command before it runs; a check of this file (see `MUTANTS`).
    """

    command: WritingCommand
    base: Path
    spoil: Callable[[], object] = lambda: None
    limit: float = 120.0
    _rows: Rows = field(default_factory=Counter)
    _ends: dict[str, tuple[CommandEnd, Rows, tuple[str, ...]]] = field(default_factory=dict)
    points: tuple[CallPoint, ...] = ()

    def begin(self) -> None:
        """Make what the command reads, and run it undisturbed: once in this process, from which all others are forked
        then, to have imported and read what it needs; and once to count."""
        shutil.rmtree(self.base, ignore_errors=True)
        source = self.base / "source"
        source.mkdir(parents=True)
        (source / "small.campaign").write_text(CAMPAIGN, encoding="utf-8")
        self.command.prepare(source)
        if f" {OUT}/" in self.command.words:
            (source / OUT).mkdir()
        for words in self.command.first:
            _expected(run_with_fault(partial(_command, words, source), source), (0,))
        for name in self.command.imports:
            importlib.import_module(name)
        if self.command.warm:
            self._warm(source)
        gc.collect()
        gc.freeze()  # so that no forked process looks through what all have in common, and copies it
        self._place()
        end = run_with_fault(self._work, self.place)
        _expected(end, self.command.usual)
        self.points, self._rows = end.points, self.rows()
        if not self._rows:
            raise SystemExit(f"{self.command.name}: the undisturbed run left nothing")

    def _warm(self, source: Path) -> None:
        place = self.base / "warm"  # another folder: nothing that is known of it helps those that are tried
        shutil.copytree(source, place)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as stderr:
            code = _command(self.command.words, place)
        if code not in self.command.usual:
            raise SystemExit(f"{self.command.name} ended with {code}:\n{stderr.getvalue()}")
        _rest()

    @property
    def place(self) -> Path:
        """Where the command runs; the same path for all, because some files hold it."""
        return self.base / "place"

    def trials(self, most: int, each: int) -> list[tuple[CallPoint, Way]]:
        """What is tried: everything; or `each` of one kind, file and way, the first, the last, then others, evenly; and
        `most` of those, evenly too."""
        groups: dict[tuple[str, str, Way], list[CallPoint]] = {}
        for point in self.points:
            for way in WAYS[point.kind]:
                groups.setdefault((point.kind, re.sub(PASSING, "#", point.file), way), []).append(point)
        ordered = []
        for turn in range(min(each, max(map(len, groups.values())))):
            ordered += [(one[_spread(turn, len(one))], way) for (_, _, way), one in groups.items() if turn < len(one)]
        most = min(most, len(ordered))
        return [ordered[turn * len(ordered) // most] for turn in range(most)]

    def try_once(self, point: CallPoint, way: Way) -> Trial:
        """Disturb the command, run it again, and compare."""
        self._place()
        first = run_with_fault(self._work, self.place, point.number, way, self.limit)
        wrong = list(self._wrong_claims(first, way))
        state = _digest(self.place)
        if state not in self._ends:  # many faults leave the same files, of which the same command makes the same
            again = run_with_fault(self._work, self.place, limit=self.limit)
            hidden = [str(one.relative_to(self.place)) for one in self.place.rglob(".*") if one.name not in KEPT]
            self._ends[state] = again, self.rows(), tuple(sorted(hidden))
        again, now, left = self._ends[state]
        if again.code not in self.command.usual:
            wrong.append(f"the same command ended with {again.code}: {again.output.strip()[-200:]}")
        hit = first.faulted or point
        lost, more, crashed = self._differences(now, way)
        kinds = (self.command.name, hit.kind, hit.file, hit.number, way, first.faulted is not None)
        return Trial(*kinds, lost.total(), more.total(), left, tuple(wrong), first.code, crashed)

    def _differences(self, now: Rows, way: Way) -> tuple[Rows, Rows, bool]:
        """Rows that are missing and rows that are too many, without those about the one run whose process was killed;
        and whether there is such a run."""
        lost, more = self._rows - now, now - self._rows
        told = [row for name, row in more if name == self.command.journal and '"signal": "SIGKILL"' in row]
        if way not in ("kill", "torn") or len(told) != 1:
            return lost, more, False
        run = _run_of(told[0])
        lost, more = (Counter({one: n for one, n in rows.items() if run not in "".join(one)}) for rows in (lost, more))
        return lost, more, True

    def rows(self) -> Rows:
        """The rows of all files that the command keeps."""
        from sealegs.suites.suite import known_holder

        found: Rows = Counter()
        for file in sorted((self.place / OUT).rglob("*")):
            name = str(file.relative_to(self.place / OUT))
            if not file.is_file() or any(re.match(self.command.scratch, part) for part in Path(name).parts):
                continue
            if self.command.journal and name == self.command.journal + ENDING:
                continue  # it counts lines, of which a run that was made again has two; `--verify` below is compared
            if name.endswith(ENDING):  # it has an entry more where a run was resumed, so what it says is compared
                found[name, _said_by_chain(file)] += 1
                continue
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            if name == self.command.journal:  # a run that failed outside its agent is made again, and both are kept
                lines = list({_run_of(line): line for line in lines}.values())
            for line in lines:
                found[name, re.sub(self.command.noise, "", line) if self.command.noise else line] += 1
        if own := known_holder(self.place / OUT):  # what the journal says of traces, which hold times
            found.update(("--verify", f"{one.file.name}: {one.state}") for one in own.verify(self.place / OUT))
        return found

    def _wrong_claims(self, end: CommandEnd, way: Way) -> Iterator[str]:
        """What the disturbed command claimed of itself that is not so."""
        if end.code is None:
            yield "it did not end"
        if end.late:
            yield "its processes outlived it"
        if end.code in self.command.usual and any(self._differences(self.rows(), way)[:2]):
            yield "it said that all is done, and it is not"
        if way not in ("kill", "torn") and (end.code == OWN_FAULT or "Traceback" in end.output):
            lines = end.output.strip().splitlines()
            yield f"a traceback: {next((one for one in reversed(lines) if one.strip()), '')[:160]}"

    def _place(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.base / "source", self.place)
        (self.place / TEMPORARY).mkdir(exist_ok=True)

    def _work(self) -> int:
        self.spoil()
        code = _command(self.command.words, self.place)
        _finish()
        return code


def _digest(place: Path) -> str:
    """A digest of all that is in a folder: names, modes and bytes; of what is in the folder of temporary files, of
    hidden ones alone, since the others have names that nobody looks for again."""
    found = hashlib.sha256()
    for one in sorted(place.rglob("*")):
        if one.relative_to(place).parts[0] == TEMPORARY and not one.name.startswith("."):
            continue
        content = one.read_bytes() if one.is_file() and not one.is_symlink() else b""  # a socket has none
        found.update(f"{one.relative_to(place)} {one.lstat().st_mode} {len(content)}\0".encode() + content)
    return found.hexdigest()


def _said_by_chain(file: Path) -> str:
    """What a chain of digests says of its records."""
    from sealegs.traces.chain_check import check_chain

    records = file.with_name(file.name.removesuffix(ENDING))
    return check_chain(records).sentence().removeprefix(f"{records}: ") if records.exists() else "it has no records"


def _run_of(line: str) -> str:
    """The run that a row of a journal is about; the row itself where it names none."""
    found = re.search(r'"id": "(\w+)"', line)
    return found[1] if found else line


def _spread(turn: int, count: int) -> int:
    """The `turn`-th of `count` places, far from those before: the first, the last, the middle."""
    order = [0, count - 1, *range(1, count - 1)]
    return order[turn] if turn < 2 else order[2:][(turn - 2) * 7 % max(1, count - 2)] if count > 2 else order[turn]


def _expected(end: CommandEnd, codes: Sequence[int]) -> None:
    if end.code not in codes:
        raise SystemExit(f"an undisturbed command ended with {end.code}:\n{end.output}")


def _command(words: str, place: Path) -> int:
    """Run `sealegs` with these words in a folder, in this process."""
    os.chdir(place)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    temporary = place / TEMPORARY
    if not temporary.exists():
        temporary.mkdir()
    os.environ.update(TMPDIR=str(temporary), COLUMNS="200", NO_COLOR="1", HOME=str(place))
    tempfile.tempdir = None
    sys.modules["__main__"] = types.ModuleType("__main__")  # what workers import; not this file
    sys.argv = ["sealegs", *words.split()]
    from sealegs.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _finish() -> None:
    """Do what the interpreter does at its end: wait for threads and call what registered itself."""
    import atexit

    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()


def _rest() -> None:
    """Let go of what a forked process may not share: other processes, and threads."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]
    if threading.active_count() > 1:
        raise SystemExit(f"the command left threads: {threading.enumerate()}")


def _without_renaming() -> None:
    """A mutant: files are written in place, not aside."""
    from sealegs.traces import atomic_files

    real = atomic_files.write_atomically

    def in_place(path: Path, data: str | bytes, remedy: str = "", mode: int | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    for module in list(sys.modules.values()):
        if getattr(module, "write_atomically", None) is real:
            module.write_atomically = in_place  # type: ignore[attr-defined]


def _without_cutting() -> None:
    """A mutant: a damaged last line stays where it is."""
    from sealegs.traces import store

    store.cut_damaged_line = lambda file, path: ""


MUTANTS: dict[str, Callable[[], object]] = {"in-place": _without_renaming, "no-cut": _without_cutting}


def tried(
    command: WritingCommand, base: Path, spoil: Callable[[], object], most: int, each: int, jobs: int, limit: float
) -> tuple[tuple[CallPoint, ...], list[Trial]]:
    """Try what there is to try of a command, in several processes, each in a folder of its own.

    Returns:
        the calls of an undisturbed run, and the trials.
    """
    courses = [Course(command, base / str(number), spoil, limit) for number in range(jobs)]
    pids = [_forked(course, most, each, (number, jobs)) for number, course in enumerate(courses)]
    points: tuple[CallPoint, ...] = ()
    found: list[Trial] = []
    for number, pid in enumerate(pids):
        _, status = os.waitpid(pid, 0)
        if status:
            raise SystemExit(f"{command.name}: a process of this benchmark ended with {status}")
        with (base / f"{number}.jsonl").open(encoding="utf-8") as lines:
            points = tuple(CallPoint(*one) for one in json.loads(next(lines)))
            rows = map(json.loads, lines)
            found += [Trial(**{**row, "left": tuple(row["left"]), "wrong": tuple(row["wrong"])}) for row in rows]
    return points, found


def _forked(course: Course, most: int, each: int, part: tuple[int, int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        course.begin()
        with course.base.with_suffix(".jsonl").open("w", encoding="utf-8") as out:
            out.write(json.dumps([(one.number, one.kind, one.file) for one in course.points]) + "\n")
            for point, way in course.trials(most, each)[part[0] :: part[1]]:
                out.write(json.dumps(asdict(course.try_once(point, way))) + "\n")
                out.flush()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def summary(name: str, points: Sequence[CallPoint], trials: Sequence[Trial]) -> list[dict[str, object]]:
    """Rows of the long table: for each kind of call and way, of `n` points, how many were tried and what was lost."""
    found: list[dict[str, object]] = []
    for kind, count in points_by_kind(tuple(points)).items():
        for way in WAYS[kind]:
            own = [one for one in trials if (one.kind, one.way) == (kind, way)]
            sums = {
                "tried": sum(one.struck for one in own),
                "lost": sum(one.lost > 0 for one in own),
                "doubled": sum(one.doubled > 0 for one in own),
                "left": sum(bool(one.left) for one in own),
                "wrong": sum(bool(one.wrong) for one in own),
            }
            if any(one.crashed for one in trials):
                sums["crashed"] = sum(one.crashed for one in own)
            where = {"suite": "writes", "agent": name, "level": kind, "mode": way}
            found += [
                {**where, "metric": metric, "value": value, "low": None, "high": None, "n": count}
                for metric, value in sums.items()
            ]
    return found


def main() -> None:
    """Try the commands that are named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", help="names of commands; all by default")
    parser.add_argument("--most", type=int, default=10**9, help="trials of a command at most")
    parser.add_argument("--each", type=int, default=10**9, help="trials of one kind, file and way at most")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that one run may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--mutant", choices=[*MUTANTS, ""], default="", help="spoil the commands; losses must be seen")
    parser.add_argument("--json", type=Path, default=None, help="the file of results; results/writes.json by default")
    parser.add_argument(
        "--join", nargs="+", type=Path, default=(), help="try nothing: make one file of these of several runs"
    )
    arguments = parser.parse_args()
    if arguments.join:
        join_results(arguments.join, arguments.json or TARGET, "agent")
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # several trainings at once would only wait for each other
    known = {one.name: one for one in COMMANDS}
    if unknown := set(arguments.commands) - set(known):
        parser.error(f"there is no command {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [known[name] for name in arguments.commands or known]
    rows: list[dict[str, object]] = []
    unsound = 0
    target = arguments.json or (None if arguments.commands or arguments.mutant else TARGET)
    spoil = MUTANTS.get(arguments.mutant, lambda: None)
    base = tempfile.mkdtemp(prefix="writes-")  # no object of `tempfile`: each fork would remove it at its end
    try:
        for number, command in enumerate(chosen):
            place = Path(base) / str(number)
            place.mkdir()
            points, trials = tried(
                command, place, spoil, arguments.most, arguments.each, arguments.jobs, arguments.limit
            )
            every = sum(len(WAYS[point.kind]) for point in points)
            for one in trials:
                if not one.sound:
                    print(f"  {one}", flush=True)
            bad = sum(not one.sound for one in trials)
            unsound += bad
            struck = sum(one.struck for one in trials)
            print(f"{command.name}: {len(points)} calls, {struck} of {every} tried, {bad} unsound", flush=True)
            rows += summary(command.name, points, trials)
            shutil.rmtree(place)
            if target is not None:
                write_results(target, rows)  # after each, so that a run that is cut off has left something
    finally:
        shutil.rmtree(base, ignore_errors=True)
    sys.exit(bool(unsound))


if __name__ == "__main__":
    main()
