"""Travel: flights, trains, hotels, cars, papers and what a trip costs."""

from sealegs.world.travel.allowance import *  # noqa: F403
from sealegs.world.travel.baggage import *  # noqa: F403
from sealegs.world.travel.baggage_weights import *  # noqa: F403
from sealegs.world.travel.bills import *  # noqa: F403
from sealegs.world.travel.cancellations import *  # noqa: F403
from sealegs.world.travel.costs import *  # noqa: F403
from sealegs.world.travel.dining import *  # noqa: F403
from sealegs.world.travel.flights import *  # noqa: F403
from sealegs.world.travel.footprint import *  # noqa: F403
from sealegs.world.travel.ground import *  # noqa: F403
from sealegs.world.travel.hire import *  # noqa: F403
from sealegs.world.travel.histories import *  # noqa: F403
from sealegs.world.travel.hotels import *  # noqa: F403
from sealegs.world.travel.insurance import *  # noqa: F403
from sealegs.world.travel.lodging import *  # noqa: F403
from sealegs.world.travel.overlaps import *  # noqa: F403
from sealegs.world.travel.rail import *  # noqa: F403
from sealegs.world.travel.rail_tickets import *  # noqa: F403
from sealegs.world.travel.ticketing import *  # noqa: F403
from sealegs.world.travel.visas import *  # noqa: F403
