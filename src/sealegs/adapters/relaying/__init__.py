"""Common parts of relays over HTTP, whatever they carry: addresses, guards, the server behind, listening, passing on.

It knows nothing of sessions and faults; `mcp` and `http_proxy` beside it do. HTTP/2 towards clients and trailers are
not supported.
"""
