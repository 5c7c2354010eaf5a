"""For all tests: processes that tests start and interrupt can be interrupted.

Where pytest runs in the background of a shell (`nohup pytest &`), SIGINT is ignored, its children would inherit that,
and a test that waits for one to end by it would wait for ever.
"""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
