"""Office: staff, meeting rooms, tickets, budget workbooks, mail and working days."""

from sealegs.world.office.documents import *  # noqa: F403
from sealegs.world.office.groups import *  # noqa: F403
from sealegs.world.office.messages import *  # noqa: F403
from sealegs.world.office.people import *  # noqa: F403
from sealegs.world.office.planning import *  # noqa: F403
from sealegs.world.office.rooms import *  # noqa: F403
from sealegs.world.office.tickets import *  # noqa: F403
from sealegs.world.office.worktime import *  # noqa: F403
