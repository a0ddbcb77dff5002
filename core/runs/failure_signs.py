"""Whether a tool's result is a failure: by the caller's flag or by signs in the text.

A sign is something that programs, services and frameworks print when they fail: an exit status, an
HTTP status, an uncaught exception, a message that begins with "Error". A text about errors has no
sign. For a call that only reads, only its own refusal counts.
"""

from __future__ import annotations

import re

from .command_lines import commands_of, is_shell, only_looks
from .tool_calls import Event, args_of, is_result, tool_of
from .tool_result import read_result

#: Signs stand at the beginning or at the end of a result; so much is read of each, characters.
_HEAD_CHARS, _TAIL_CHARS = 600, 1_200
#: The last lines of an output, in which a program sums up how it ended.
_LAST_LINES = 8
#: A result of one line, as short as this, may be nothing but a refusal.
_REFUSAL_CHARS = 240

_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: an?)?(?: non-zero)?[ _-]?(?:code|status)|returned non-zero exit "
    r"status|return ?code)\W{0,3}(?P<code>-?\d+)",
    re.IGNORECASE,
)
_HTTP = re.compile(
    r"(?:HTTP(?:/[\d.]+)?|(?:error|response|status)(?: code)?):? ?[45]\d\d\b"
    r"|[45]\d\d:? (?:Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not "
    r"Allowed|Conflict|Gone|Unprocessable|Too Many Requests|Internal Server Error|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out)|request failed with status",
    re.IGNORECASE,
)
_STATUS_ALONE = re.compile(r"[45]\d\d(?:\s|\Z)")
_BEGINS = re.compile(
    r"\W*(?:<tool_use_error>|(?:fatal )?(?:error|fatal)\b(?= ?[:\[(!]| (?:executing|running|calling"
    r"|while|during|in|at|from|invoking|code)\b)|error\Z|failed to\b|failure:|exception:"
    r"|[A-Za-z_.]*[a-z](?:Error|Exception)\b(?=[:(]|\Z)|Traceback \(most recent call last\)"
    r"|(?:sorry|command|execution|request|operation|tool call|call)\b[^.\n]{0,40}"
    r"\b(?:failed|timed out)\b|usage error)",
    re.IGNORECASE,
)
_SYSTEM = (
    r"(?:No such file or directory|No space left on device|Permission denied|command not found"
    r"|Connection refused|Connection timed out|Operation not permitted|Is a directory"
    r"|Not a directory|Directory not empty|Address already in use|Broken pipe"
    r"|Network is unreachable|Read-only file system|Name or service not known"
    r"|Temporary failure in name resolution|Segmentation fault(?: \(core dumped\))?)"
)
_ENDS = re.compile(
    r"(?:.{0,200}(?:: |\A))?" + _SYSTEM + r"[.)]?\Z"
    r"|(?:[a-z]*sh|/bin/\w+): (?:line )?\d*:? ?.{0,80}: not found\Z"
    r"|zsh: command not found: .+"
    r"|make(?:\[\d+\])?: \*\*\* .+|npm ERR! .+|ninja: build stopped.*|compilation terminated\."
    r"|BUILD FAILED\b.*|FAILED \((?:failures|errors)=\d.*|error: could not compile .+"
    r"|=*\W*(?:.*\b)?[1-9]\d* (?:tests? )?(?:failed|failing|errors?)\b(?:,| in |\W*\Z).*"
    r"|Tests?:? +[1-9]\d* failed.*|(?:[\w.+-]+: )?(?:error|fatal): .+|error TS\d+: .+"
    r"|! \[(?:remote )?rejected\] .+|(?:test result: |evaluation )failed\b.*|FAIL\s+\S+.*"
    r"|--- FAIL: .+|[\w.-]+: (?:FAIL\b.*|exited with code [1-9]\d*)|Killed|OOMKilled|Terminated"
    r"|(?:.*: )?(?:(?:connection|operation|request|command|statement) )?timed out(?: after .*)?"
    r"|(?:[\w .-]+: )?(?:[A-Z][\w-]*(?: [\w-]+){0,5} )?(?:has |have )?failed"
    r"(?:[;:!]| with | to | at | after ).*|Aborted(?: \(core dumped\))?"
    r"|[\w .()-]{3,60}\.{3,}Failed"  # pre-commit
    r"|(?:Syntax|Indentation|Tab)Error: .+|(?:curl|wget): \(\d+\) .+",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)(?:: .*)?\Z")
_RAISED = re.compile(r"[\w.]*[a-z](?:Error|Exception): ")
_STACK = re.compile(r"^(?:Uncaught )?\w*Error: .*\n +at ", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
#: All that a service answers, where it has not what was asked for or refuses to do it.
_REFUSES = re.compile(
    r"(?:[\w#'\"-]+(?: [\w#'\"-]+){0,5} "
    r"(?:not be found|not found|does not exist|doesn't exist|cannot be \w+|could not be \w+"
    r"|is not (?:available|valid|allowed|permitted|authorized|supported)|is invalid|timed out)"
    r"|(?:access|permission|request) (?:is |was )?denied|not (?:authorized|allowed|permitted)"
    r"|unauthorized|forbidden|invalid [\w ]{2,40}|no such [\w ]{2,40})\b.{0,120}",
    re.IGNORECASE,
)


def is_error(event: Event) -> bool:
    """Say whether the event is a tool's failure: by the caller's word, or by what it returned."""
    if not is_result(event):
        return False
    if (event.get("tool") or {}).get("isError"):
        return True
    result = read_result(event)
    if result.ok is not None:
        return not result.ok
    text = "\n".join(result.others).strip() if result.is_text else ""
    return bool(text) and not text.startswith("{") and _shows_error(text, event)


def _shows_error(text: str, event: Event) -> bool:
    first = text[:_HEAD_CHARS].splitlines()[0].strip()
    last = [line for line in map(str.strip, text[-_TAIL_CHARS:].splitlines()) if line]
    last = last[-_LAST_LINES:]
    if _nonzero_exit(first) or _nonzero_exit(last[-1]):
        return True
    tool, args = tool_of(event), args_of(event)
    shell = is_shell(tool)
    programs = [command.program for arg in args for command in commands_of(arg)] if shell else []
    is_short = len(text) <= _REFUSAL_CHARS and "\n" not in text
    begins = _BEGINS.match(first) or _HTTP.match(first) or (is_short and _REFUSES.fullmatch(text))
    if only_looks(tool, programs):
        if shell and _RAISED.match(first):  # a log or file that tells another program's end
            return False
        named = any(first.startswith(f"{program.split()[0]}: ") for program in programs)
        return is_short and bool(begins or named or _ENDS.fullmatch(text))
    asked_status = any("http_code" in arg for arg in args)
    uncaught = _TRACEBACK in text or _STACK.search(text[:_HEAD_CHARS]) is not None
    return bool(
        begins
        or (asked_status and _STATUS_ALONE.match(text))
        or any(map(_ENDS.fullmatch, last if shell or uncaught else last[-1:]))
        or (uncaught and (_EXCEPTION.match(last[-1]) or last[-1].startswith("at ")))
    )


def _nonzero_exit(line: str) -> bool:
    match = _EXIT.search(line)
    return match is not None and int(match["code"]) != 0 and len(line) <= _REFUSAL_CHARS
