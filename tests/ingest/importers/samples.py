"""The golden file of every format; `reports.txt` has what an import says of each."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[2] / "data" / "importers"
#: File → the name of its format.
SAMPLES = [
    ("chat.jsonl", "native"),
    ("events.json", "native"),
    ("locomo.json", "locomo"),
    ("tau_bench.json", "tau-bench"),
    ("claude_code.jsonl", "claude-code"),
    ("openai_chat.jsonl", "openai-chat"),
    ("openai_responses.json", "openai-responses"),
    ("langchain.json", "langchain"),
    ("swe_agent.traj", "swe-agent"),
    ("mem0.json", "mem0"),
    ("graphiti.json", "graphiti"),
    ("chatgpt.json", "chatgpt"),
    ("claude_export.json", "claude"),
    ("sharegpt.json", "sharegpt"),
    ("few_shot.jsonl", "tau-bench-few-shot"),
    ("vercel_ai.json", "vercel-ai"),
    ("pydantic_ai.json", "pydantic-ai"),
    ("gemini.json", "gemini"),
    ("codex.jsonl", "codex"),
    ("letta.af", "letta"),
    ("zep.json", "zep"),
    ("memory.jsonl", "memory-graph"),
    ("memories.json", "claude-memories"),
    ("slack.json", "slack"),
    ("telegram.json", "telegram"),
    ("discord.json", "discord"),
    ("messenger.json", "messenger"),
    ("google_chat.json", "google-chat"),
    ("librechat.json", "librechat"),
    ("open_webui.json", "open-webui"),
    ("vscode.json", "vscode"),
    ("thread.json", "json"),
    ("whisper.json", "json"),
    ("store.jsonl", "json"),
]
#: Of the formats that are no JSON.
TEXT_SAMPLES = [
    ("dialogue.txt", "text"),
    ("markdown.md", "text"),
    ("messages.csv", "csv"),
    ("whatsapp.txt", "whatsapp"),
    ("kakaotalk.txt", "kakaotalk"),
    ("line.txt", "line"),
    ("meeting.vtt", "subtitles"),
    ("film.srt", "subtitles"),
    ("letter.eml", "mail"),
    ("box.mbox", "mail"),
    ("notes.md", "markdown"),
    ("coffee.md", "basic-memory"),
    ("plain.txt", "document"),
]
