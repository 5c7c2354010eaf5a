"""A module whose import takes longer than a run may."""

import time

time.sleep(2.5)
