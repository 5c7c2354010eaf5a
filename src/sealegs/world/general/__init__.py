"""General: cities, weather, dates and times, figures and units, notes and reminders, news."""

from sealegs.world.general.figures import *  # noqa: F403
from sealegs.world.general.groups import *  # noqa: F403
from sealegs.world.general.moments import *  # noqa: F403
from sealegs.world.general.news import *  # noqa: F403
from sealegs.world.general.organiser import *  # noqa: F403
from sealegs.world.general.overlaps import *  # noqa: F403
from sealegs.world.general.places import *  # noqa: F403
from sealegs.world.general.weather import *  # noqa: F403
