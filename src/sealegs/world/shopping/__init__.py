"""Shopping: products, delivery, prices with coupons, orders, warranties."""

from sealegs.world.shopping.carts import *  # noqa: F403
from sealegs.world.shopping.catalogue import *  # noqa: F403
from sealegs.world.shopping.delivery import *  # noqa: F403
from sealegs.world.shopping.groups import *  # noqa: F403
from sealegs.world.shopping.holds import *  # noqa: F403
from sealegs.world.shopping.overlaps import *  # noqa: F403
from sealegs.world.shopping.pricing import *  # noqa: F403
from sealegs.world.shopping.shelves import *  # noqa: F403
from sealegs.world.shopping.warranty import *  # noqa: F403
