"""The proxy of level `mcp`, in whose place nothing can be written beyond the bytes that `LIMIT` says."""

import os
import resource
import sys

sys.dont_write_bytecode = True  # Python puts a compiled file in its place although only a part of it could be written

from sealegs.suites.micro.mcp_proxy import main  # noqa: E402

LIMIT = "SEALEGS_TEST_FILE_LIMIT"

if __name__ == "__main__":
    most = int(os.environ[LIMIT])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    sys.exit(main())
