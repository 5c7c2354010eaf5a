"""A reverse proxy for HTTP between clients of any language and a server: requests are calls, as in `adapters.wire`.

The handler says which requests go through the session, the tool run asks the server, the writer shows what comes of it,
and the switch holds the plan that can be changed while all this runs. HTTP/2, HTTP/3 and trailers are not supported;
messages on a websocket pass untouched.
"""

from __future__ import annotations

import gc

from sealegs.adapters.http_proxy.proxy_settings import ProxySettings
from sealegs.faults.user_error import UserError

__all__ = ["ProxySettings", "proxy_http"]


def proxy_http(settings: ProxySettings) -> None:
    """Proxy HTTP until a signal ends it; see `proxy_running.run_http_proxy`.

    Raises:
        UserError: the extra that it needs is not installed, or an address or a port will not do.
    """
    gc.freeze()  # or what was loaded so far would be looked through once more while the rest is loaded
    try:
        from sealegs.adapters.http_proxy.proxy_running import run_http_proxy
    except ImportError as error:
        raise UserError(f'a proxy over HTTP needs {error.name}; run: pip install "sealegs[proxy]"') from error
    run_http_proxy(settings)
