"""A kernel that loses its host before it gets code to run: it ends, and does not spin on a closed pipe."""

import os
import subprocess
import sys

import pytest

from sealegs.sandbox.process import BOOT


@pytest.mark.parametrize("begun", [b"", b"12", b"100\nprint("])
def test_a_host_that_is_gone_before_the_start_leaves_no_kernel_behind(begun: bytes) -> None:
    hearing, telling = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", BOOT, str(hearing), "1"], pass_fds=[hearing])
    os.close(hearing)
    os.write(telling, begun)
    os.close(telling)
    try:
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
