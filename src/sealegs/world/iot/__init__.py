"""The iot domain: buildings, their devices, readings, settings, energy, air, access, repairs; vehicles and assets."""

from sealegs.world.iot.access import *  # noqa: F403
from sealegs.world.iot.air import *  # noqa: F403
from sealegs.world.iot.assets import *  # noqa: F403
from sealegs.world.iot.charge_points import *  # noqa: F403
from sealegs.world.iot.charging import *  # noqa: F403
from sealegs.world.iot.energy import *  # noqa: F403
from sealegs.world.iot.firmware import *  # noqa: F403
from sealegs.world.iot.histories import *  # noqa: F403
from sealegs.world.iot.maintenance import *  # noqa: F403
from sealegs.world.iot.overlaps import *  # noqa: F403
from sealegs.world.iot.readings import *  # noqa: F403
from sealegs.world.iot.registry import *  # noqa: F403
from sealegs.world.iot.schedules import *  # noqa: F403
from sealegs.world.iot.setpoints import *  # noqa: F403
from sealegs.world.iot.tariffs import *  # noqa: F403
from sealegs.world.iot.visitors import *  # noqa: F403
