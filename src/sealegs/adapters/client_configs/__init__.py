"""The configuration files in which MCP clients name their servers: where they are, and how an entry is wrapped.

Files are changed in the few characters that a wrapped entry differs in; comments, order and layout stay. Servers that a
client keeps elsewhere (extensions, settings of an organisation, a remote account) are not found.
"""
