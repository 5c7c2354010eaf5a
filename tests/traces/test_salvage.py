"""A zip file that unpacks to far more than it is was made to use up memory, and is refused before it is unpacked."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import needs

salvage = pytest.importorskip("sealegs.traces.salvage", reason=needs.module("zstandard"))
MIB = 1 << 20
PEAK = """
import re, sys
from pathlib import Path
from sealegs.traces.inspect_logs import samples
from sealegs.traces.store import StoreError
try:
    list(samples(Path(sys.argv[1]), []))
except StoreError as error:
    print(error)
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def packed(file: Path, name: str, parts: int, part: bytes) -> zipfile.ZipInfo:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made, made.open(name, "w", force_zip64=True) as entry:
        for _ in range(parts):
            entry.write(part)
    with zipfile.ZipFile(file) as read:
        return read.getinfo(name)


@pytest.mark.parametrize(("mib", "is_read"), [(63, True), (65, False)])
def test_a_large_entry_may_not_be_packed_too_well(tmp_path: Path, mib: int, is_read: bool) -> None:
    file = tmp_path / "bomb.zip"
    entry = packed(file, "samples/1_epoch_1.json", mib, b" " * MIB)
    assert entry.file_size > 900 * entry.compress_size
    with file.open("rb") as opened:
        if is_read:
            assert len(salvage.read_entry(opened, entry)) == mib * MIB
        else:
            with pytest.raises(zipfile.BadZipFile, match=r"would be 68,157,440 bytes, from [0-9,]+"):
                salvage.read_entry(opened, entry)


def test_a_large_entry_that_is_packed_as_logs_are_is_read(tmp_path: Path) -> None:
    call = b'{"call": %d, "tool": "price", "shown": {"price": %d}}\n'
    part = b"".join(call % (n, n * n % 997) for n in range(20_000))
    file = tmp_path / "log.zip"
    entry = packed(file, "samples/1_epoch_1.json", 70 * MIB // len(part) + 1, part)
    assert entry.file_size > 64 * MIB
    with file.open("rb") as opened:
        assert len(salvage.read_entry(opened, entry)) == entry.file_size


def test_a_log_that_unpacks_a_thousandfold_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "bomb.eval"
    packed(file, "samples/1_epoch_1.json", 400, b" " * MIB)
    done = subprocess.run([sys.executable, "-c", PEAK, str(file)], capture_output=True, text=True)
    *said, peak = done.stdout.splitlines()
    assert int(peak) < 200 * 1024, said  # KiB; 400 MiB would have been unpacked
