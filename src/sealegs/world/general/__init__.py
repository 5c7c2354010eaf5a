"""General: cities, weather, daylight, dates and times, figures and units, and what the user keeps and shares."""

from sealegs.world.general.alarms import *  # noqa: F403
from sealegs.world.general.appointment_holds import *  # noqa: F403
from sealegs.world.general.appointments import *  # noqa: F403
from sealegs.world.general.contacts import *  # noqa: F403
from sealegs.world.general.customary import *  # noqa: F403
from sealegs.world.general.daylight import *  # noqa: F403
from sealegs.world.general.figures import *  # noqa: F403
from sealegs.world.general.histories import *  # noqa: F403
from sealegs.world.general.library import *  # noqa: F403
from sealegs.world.general.moments import *  # noqa: F403
from sealegs.world.general.news import *  # noqa: F403
from sealegs.world.general.organiser import *  # noqa: F403
from sealegs.world.general.overlaps import *  # noqa: F403
from sealegs.world.general.places import *  # noqa: F403
from sealegs.world.general.sharing import *  # noqa: F403
from sealegs.world.general.weather import *  # noqa: F403
