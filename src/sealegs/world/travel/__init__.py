"""Travel: flights, hotels, airport cars and what a trip costs."""

from sealegs.world.travel.costs import *  # noqa: F403
from sealegs.world.travel.flights import *  # noqa: F403
from sealegs.world.travel.ground import *  # noqa: F403
from sealegs.world.travel.groups import *  # noqa: F403
from sealegs.world.travel.hotels import *  # noqa: F403
from sealegs.world.travel.lodging import *  # noqa: F403
from sealegs.world.travel.overlaps import *  # noqa: F403
from sealegs.world.travel.ticketing import *  # noqa: F403
