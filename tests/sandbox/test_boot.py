"""Kernels that end before they get code to run: they leave no process behind, and do not spin on a closed pipe."""

import os
import select
import subprocess
import sys

import pytest

from sealegs.sandbox.process import BOOT, KernelProcess, spawn

STARTING = """
import os, sys, time
if not os.fork():  # as bubblewrap's child, which waits for a word of its parent, and does not die with it
    os.write(int(sys.argv[2]), b"here")
time.sleep(1000)
"""


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


@pytest.mark.parametrize("way", ["kill", "close"])
def test_what_a_starting_kernel_has_started_dies_with_it(way: str) -> None:
    process = spawn([sys.executable, "-c", STARTING], {})
    replies = os.dup(process.replies)
    try:
        select.select([replies], [], [], 60)
        assert os.read(replies, 4) == b"here"
        getattr(process, way)()
        assert select.select([replies], [], [], 60)[0]
        assert os.read(replies, 4) == b""  # nobody holds the other end any more
    finally:
        process.close()
        os.close(replies)


def test_a_process_that_leads_no_group_is_killed_too() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(1000)"]
    started = subprocess.Popen(command, stderr=subprocess.PIPE)
    hearing, telling = os.pipe()
    reading, writing = os.pipe()
    KernelProcess(started, telling, reading).close()
    assert started.returncode == -9
    os.close(hearing)
    os.close(writing)
