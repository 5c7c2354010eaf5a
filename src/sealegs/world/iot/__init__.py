"""The iot domain: buildings and their devices, readings, set points, energy, access and repairs."""

from sealegs.world.iot.access import *  # noqa: F403
from sealegs.world.iot.energy import *  # noqa: F403
from sealegs.world.iot.groups import *  # noqa: F403
from sealegs.world.iot.maintenance import *  # noqa: F403
from sealegs.world.iot.overlaps import *  # noqa: F403
from sealegs.world.iot.readings import *  # noqa: F403
from sealegs.world.iot.registry import *  # noqa: F403
from sealegs.world.iot.setpoints import *  # noqa: F403
from sealegs.world.iot.visitors import *  # noqa: F403
