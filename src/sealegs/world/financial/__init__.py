"""Financial: accounts, payments, cards, budgets, purchases, invoices, tax, wages, loans, securities, prices."""

from sealegs.world.financial.accounts import *  # noqa: F403
from sealegs.world.financial.billing import *  # noqa: F403
from sealegs.world.financial.budget_moves import *  # noqa: F403
from sealegs.world.financial.budgets import *  # noqa: F403
from sealegs.world.financial.card_limits import *  # noqa: F403
from sealegs.world.financial.cards import *  # noqa: F403
from sealegs.world.financial.debits import *  # noqa: F403
from sealegs.world.financial.dunning import *  # noqa: F403
from sealegs.world.financial.exchange import *  # noqa: F403
from sealegs.world.financial.expenses import *  # noqa: F403
from sealegs.world.financial.forward_rates import *  # noqa: F403
from sealegs.world.financial.forwards import *  # noqa: F403
from sealegs.world.financial.histories import *  # noqa: F403
from sealegs.world.financial.loans import *  # noqa: F403
from sealegs.world.financial.overlaps import *  # noqa: F403
from sealegs.world.financial.payees import *  # noqa: F403
from sealegs.world.financial.payments import *  # noqa: F403
from sealegs.world.financial.payroll import *  # noqa: F403
from sealegs.world.financial.prices import *  # noqa: F403
from sealegs.world.financial.purchasing import *  # noqa: F403
from sealegs.world.financial.securities import *  # noqa: F403
from sealegs.world.financial.tax import *  # noqa: F403
from sealegs.world.financial.worth import *  # noqa: F403
