"""The example of a domain of one's own passes the kit, and the kit says what is wrong with a worse one."""

import subprocess
import sys
from pathlib import Path

import pytest

GARDEN = Path(__file__).parent.parent.parent / "examples" / "garden.py"
SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]


def checked(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SEALEGS, "world", "check", str(file)], capture_output=True, text=True, timeout=1800)


def test_the_garden_is_sound() -> None:
    done = checked(GARDEN)
    assert (done.returncode, done.stdout.strip()) == (0, "4 tools, 1 history tools, 1 groups: 0 problem(s)")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("found.litres_per_m2, 2)\n    return", "2, 2)\n    return", "the clean answer is called wrong"),
        ('world.effect("water", id, litres=litres)', "pass", "is of category action and its examples do not change"),
        (
            "round(found.area_m2 * found.litres_per_m2, 2))\n",
            "1.0)\n",
            "bed_watered: on {'bed_id': 'BED-01'}: litres is",
        ),
        ('    repeat="again",\n    key', "    key", "water_bed must say what a second identical call does"),
        ('repeat="again"', 'repeat="refused"', "says refused of a second identical call, which is: again"),
        ('shown_by="watering_history"', 'shown_by="diary"', "do not name it in shown_by: water_bed, irrigate_bed"),
        ("    irrigate_bed,\n", "", "irrigate_bed: is not among the operations of watering_history"),
        ('raise Refusal(404, "BedNotFound"', "return Bed('', '', 1, 1)  #", "should refuse with 404, gives an answer"),
        (
            "from __future__ import annotations",
            "from __future__ import annotations\nimport no_such_module",
            "cannot be used",
        ),
    ],
)
def test_what_is_wrong_is_reported(tmp_path: Path, before: str, after: str, message: str) -> None:
    text = GARDEN.read_text()
    assert before in text
    (tmp_path / "garden.py").write_text(text.replace(before, after))
    done = checked(tmp_path / "garden.py")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
