"""A coding agent with hooks: what one session learns, the next one knows when it starts.

    python coding_agent.py

Claude Code, Codex, Gemini CLI and Cursor run `meridia hook` by themselves once it is installed
(`meridia hook install`). This agent is a script that runs it at the same moments.
"""

import json
import subprocess
import time

MERIDIA = ["meridia", "--db", "code.db"]


def hook(moment, session, **event):
    """Report what happened; return what the agent is told."""
    event = {"hook_event_name": moment, "session_id": session} | event
    command = [*MERIDIA, "hook"]
    said = subprocess.check_output(command, input=json.dumps(event), text=True)
    answer = json.loads(said or "{}")
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def remembered():
    """Return how many events are in the journal: a hook lets the agent go on before it captures."""
    listed = subprocess.check_output([*MERIDIA, "list", "--json"])
    return len(json.loads(listed)["memories"])


print("Monday's session knows:", hook("SessionStart", "monday") or "nothing")
hook("UserPromptSubmit", "monday", prompt="Never run pytest alone here, always run make test.")
hook(
    "PostToolUse",
    "monday",
    tool_name="Bash",
    tool_use_id="call-1",
    tool_input={"command": "make test"},
    tool_response="ModuleNotFoundError: No module named 'yaml'. Run make setup first.",
)
hook("SessionEnd", "monday")
while remembered() < 3:
    time.sleep(0.2)
print("Tuesday's session knows:", hook("SessionStart", "tuesday"))
