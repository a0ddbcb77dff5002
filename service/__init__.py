"""How do agents and programs reach a memory that runs as a service?

HTTP, MCP and hooks of coding agents: thin faces over the public API. What needs an extra is
imported only when it is served.
"""
