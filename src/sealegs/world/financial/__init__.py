"""Financial: exchange, bank accounts, payments, invoices and tax, expenses, loans, securities."""

from sealegs.world.financial.accounts import *  # noqa: F403
from sealegs.world.financial.billing import *  # noqa: F403
from sealegs.world.financial.exchange import *  # noqa: F403
from sealegs.world.financial.expenses import *  # noqa: F403
from sealegs.world.financial.groups import *  # noqa: F403
from sealegs.world.financial.loans import *  # noqa: F403
from sealegs.world.financial.payees import *  # noqa: F403
from sealegs.world.financial.payments import *  # noqa: F403
from sealegs.world.financial.securities import *  # noqa: F403
from sealegs.world.financial.tax import *  # noqa: F403
