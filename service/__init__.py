"""How do agents and programs use a memory that runs as a service?

HTTP, MCP and hooks of coding agents: thin layers over the public API. Modules that need an extra
are imported only when they are used.
"""

from ..core.lazy import door

__all__ = [
    "agent_hooks",
    "dispatcher",
    "documents",
    "mcp_server",
    "parameters",
    "problems",
    "request_limits",
    "server",
]
__getattr__ = door(__name__)
