"""How do the frameworks that agents are built with use a memory?

A module for each framework, over the public API alone; `pip install 'meridia[NAME]'` installs what
it needs. What each carries, and what it does not, is in docs/integrations.md.
"""

from ..core.lazy import door

__all__ = [
    "claude_agent_sdk",
    "clients",
    "crewai",
    "google_adk",
    "langchain",
    "langgraph",
    "llama_index",
    "openai_agents",
    "pydantic_ai",
    "strands",
]
__getattr__ = door(__name__)
