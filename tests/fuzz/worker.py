"""Fuzz one target in this process: `python -m tests.fuzz.worker TARGET FOLDER [OPTIONS OF LIBFUZZER...]`.

What is not a `UserError` is kept in FOLDER/found, once for each place that it comes from, and the fuzzing continues.
FOLDER/accepted holds the number of inputs that were found sound, in eight bytes.
"""

from __future__ import annotations

import mmap
import sys
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sealegs"]):
    from tests.fuzz import targets
    from tests.fuzz.mutation import Mutation
    from tests.fuzz.seeds import SEEDS

LARGEST = 1 << 15  # bytes of an input
LARGEST_OF = {"campaign": 1 << 10}  # long ones take so long to read that few could be tried


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    corpus, found = folder / "corpus", folder / "found"
    for place in (corpus, found):
        place.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=["sealegs"]):  # what a target imports late
        for number, seed in enumerate(SEEDS[name]()):
            (corpus / f"seed-{number}").write_text(seed, encoding="utf-8")
            if not targets.read(name, seed.encode()):
                print(f"{name}: seed {number} is refused", flush=True)
    known: set[str] = set()
    mutation = Mutation(seed.encode() for seed in SEEDS[name]())
    (folder / "accepted").write_bytes(bytes(8))
    with (folder / "accepted").open("r+b") as file:
        accepted = memoryview(mmap.mmap(file.fileno(), 8)).cast("Q")  # libFuzzer ends the process without Python's ends

    def one(data: bytes) -> None:
        try:
            accepted[0] += targets.read(name, data)
        except Exception as error:  # whatever it is, it is a finding
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/sealegs/" in frame.filename]
            where = f"{type(error).__name__} at {frames[-1].filename.rpartition('/sealegs/')[2]}:{frames[-1].lineno}"
            if where not in known:
                known.add(where)
                print(f"found {name}: {where}: {str(error)[:200]!r}", flush=True)
                (found / f"{len(known)}").write_bytes(data)
                (found / f"{len(known)}.txt").write_text(traceback.format_exc()[-4000:], encoding="utf-8")

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return mutation.changed(data, seed, lambda raw: atheris.Mutate(raw, most))[:most]

    options = [
        f"-max_len={LARGEST_OF.get(name, LARGEST)}",
        "-mutate_depth=2",
        "-len_control=0",
        "-timeout=30",
        "-rss_limit_mb=2048",
    ]
    options += ["-print_final_stats=1", *sys.argv[3:]]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
