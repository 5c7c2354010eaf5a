"""Memory for what a loop reads, kept between reads.

An event loop asks for 256 KiB with each read. glibc takes a block of that size from the kernel and gives it back, page
faults and all, unless the process has freed a larger one before. Which of the two happens depends on what a relay has
loaded, and the slow one costs more than everything else in a call.
"""

from __future__ import annotations

LARGER = 1 << 20  # bytes: more than a loop reads at a time


def keep_read_buffers() -> None:
    """Have blocks as large as those that a loop reads into come from memory that the process keeps."""
    bytes(LARGER)  # glibc learns from the largest block that is freed; other allocators are left as they are
