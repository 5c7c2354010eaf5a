"""Office: staff, rooms, calendars, leave, time sheets, boards, documents, contracts, mail, training and services."""

from sealegs.world.office.boards import *  # noqa: F403
from sealegs.world.office.calendars import *  # noqa: F403
from sealegs.world.office.channels import *  # noqa: F403
from sealegs.world.office.clocking import *  # noqa: F403
from sealegs.world.office.contracts import *  # noqa: F403
from sealegs.world.office.documents import *  # noqa: F403
from sealegs.world.office.histories import *  # noqa: F403
from sealegs.world.office.hospitality import *  # noqa: F403
from sealegs.world.office.invitations import *  # noqa: F403
from sealegs.world.office.leave_accounts import *  # noqa: F403
from sealegs.world.office.leave_requests import *  # noqa: F403
from sealegs.world.office.messages import *  # noqa: F403
from sealegs.world.office.overlaps import *  # noqa: F403
from sealegs.world.office.people import *  # noqa: F403
from sealegs.world.office.planning import *  # noqa: F403
from sealegs.world.office.printing import *  # noqa: F403
from sealegs.world.office.rooms import *  # noqa: F403
from sealegs.world.office.surveys import *  # noqa: F403
from sealegs.world.office.teams import *  # noqa: F403
from sealegs.world.office.tickets import *  # noqa: F403
from sealegs.world.office.timesheets import *  # noqa: F403
from sealegs.world.office.training import *  # noqa: F403
from sealegs.world.office.worktime import *  # noqa: F403
