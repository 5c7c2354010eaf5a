"""The folder of questions and databases that come with the package, so that the suite runs with nothing to download.

It is laid out as `sealegs.world.sql.build.build` reads it: `pairs.json`, and scripts in `databases`.
"""

from importlib import resources
from pathlib import Path

OWN = Path(str(resources.files("sealegs.suites.highwater"))) / "data"
