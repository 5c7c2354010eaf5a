"""Shopping: products, prices, delivery, customs, orders, returns, collection, rewards, suppliers, warranties."""

from sealegs.world.shopping.carts import *  # noqa: F403
from sealegs.world.shopping.catalogue import *  # noqa: F403
from sealegs.world.shopping.collection import *  # noqa: F403
from sealegs.world.shopping.customs import *  # noqa: F403
from sealegs.world.shopping.delivery import *  # noqa: F403
from sealegs.world.shopping.histories import *  # noqa: F403
from sealegs.world.shopping.holds import *  # noqa: F403
from sealegs.world.shopping.orders import *  # noqa: F403
from sealegs.world.shopping.overlaps import *  # noqa: F403
from sealegs.world.shopping.prices import *  # noqa: F403
from sealegs.world.shopping.pricing import *  # noqa: F403
from sealegs.world.shopping.returns import *  # noqa: F403
from sealegs.world.shopping.rewards import *  # noqa: F403
from sealegs.world.shopping.shelves import *  # noqa: F403
from sealegs.world.shopping.suppliers import *  # noqa: F403
from sealegs.world.shopping.warranty import *  # noqa: F403
