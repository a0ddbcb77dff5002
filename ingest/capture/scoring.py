"""The parameters of a capture decision: thresholds and weights, which can be set, and rules.

The numbers are those of the source documents' five-factor scoring (features 8, 41 and 49). Nothing
is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from math import fsum
from types import MappingProxyType

from ...core.errors import InvalidInput
from ...core.settings import ScoringSettings


@dataclass(frozen=True, slots=True)
class ScoringProfile:
    """Three thresholds: capture in full, ask a model, high value (a message worth a full capture).

    A model's opinion is asked for from `model` up to `capture` + the band of `Scoring`.
    """

    capture: float
    model: float
    high_value: float


PROFILES: Mapping[str, ScoringProfile] = MappingProxyType(
    {
        "standard": ScoringProfile(0.5, 0.35, 0.8),
        "aggressive": ScoringProfile(0.3, 0.2, 0.7),
        "conservative": ScoringProfile(0.7, 0.5, 0.9),
        "minimal": ScoringProfile(0.8, 0.65, 0.9),
    }
)


_WEIGHTS = ("novelty", "impact", "relational", "temporal", "user_intent")


def shares_of(given: ScoringSettings) -> Mapping[str, float]:
    """Return the weights by factor, adding up to 1; `InvalidInput` when all are 0."""
    weights = {name: getattr(given, name) for name in _WEIGHTS}
    total = fsum(weights.values())
    if total <= 0:
        raise InvalidInput("scoring weights must be 0 or more, and at least one must be above 0")
    return MappingProxyType({name: weight / total for name, weight in weights.items()})


@dataclass(frozen=True, slots=True)
class ToolRule:
    """Tools (shell patterns of their names) whose results count at least, or at most, so much."""

    tools: tuple[str, ...]
    floor: float = 0.0
    cap: float = 1.0


#: Tools by the impact of their results, as shell patterns; the first class that fits counts.
CHANGING_TOOLS = (
    *("write", "edit", "apply_patch", "multiedit", "notebookedit", "str_replace*"),
    *("exec", "bash", "shell", "terminal", "execute_*", "run_*"),
    *("message", "sessions_send", "sessions_spawn", "send_*", "cron", "gateway", "voice_call"),
    *("book_*", "cancel_*", "create_*", "delete_*", "remove_*", "update_*", "transfer_*"),
)
REACHING_TOOLS = (
    *("browser*", "web_fetch", "webfetch", "web_search", "websearch"),
    *("image_generate", "work_item", "work_queue"),
)
LOOKING_TOOLS = (
    *("read", "read_*", "cat", "tree", "ls", "glob", "grep", "ripgrep", "think", "calculate"),
    *("get_*", "list_*", "search_*", "find_*", "view*", "memory_*", "experience_*"),
    *("session_status", "sessions_list"),
)
#: Words that raise a factor; matched as whole words, with their inflections.
IMPACT_WORDS = (
    *("deploy", "deployment", "migrate", "migration", "release", "rollback", "roll back"),
    *("delete", "drop", "dropped", "production", "hotfix", "security", "breaking"),
)
RELATIONAL_WORDS = (
    *("user", "customer", "team", "project", "repo", "repository", "branch", "deploy", "api"),
    *("endpoint", "database", "server", "client", "pr", "issue", "ticket", "bug", "feature"),
)
#: Tools whose results count at least, or at most, so much.
TOOL_RULES = (
    ToolRule(("message", "sessions_send"), floor=0.6),
    ToolRule(("write", "edit", "apply_patch"), floor=0.5),
    ToolRule(("read",), cap=0.4),
    ToolRule(("memory_*", "experience_*"), cap=0.15),
)
#: What a failure, and what is marked as important, count at least.
ERROR_FLOOR, MARKED_FLOOR = 0.55, 0.9
#: What a result of so many characters counts more.
LARGE_RESULT_CHARS, LARGE_RESULT_BOOST = 5_000, 0.1


@dataclass(frozen=True, slots=True)
class Scoring:
    """The settings that the decision of pass 1 depends on."""

    settings: ScoringSettings = ScoringSettings()  # noqa: RUF009 - frozen
    profile: ScoringProfile = PROFILES["standard"]
    #: What each factor counts, 1 together.
    weights: Mapping[str, float] = field(default_factory=lambda: shares_of(ScoringSettings()))


def scoring_of(given: ScoringSettings) -> Scoring:
    """Return what the settings ask for; `InvalidInput` where no factor has a weight."""
    return Scoring(given, PROFILES[given.profile], shares_of(given))


@lru_cache(maxsize=4096)
def tool_matches(tool: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a folded tool name fits a pattern, whole or without its server's prefix."""
    names = {tool, tool.rpartition("__")[2].rpartition(".")[2].rpartition("/")[2]}
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
