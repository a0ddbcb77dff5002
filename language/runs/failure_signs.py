"""Whether a tool's result is a failure: by its fields, else by a small head over how it looks.

The head was learned from outputs of many tools that were written and labelled for this project
(data/failures.json, `make train-heads`): not the words count but their kind, and where they stand.
Of a call that only reads, what it shows may speak of anything: only its own refusal counts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..heads import load_heads
from .command_lines import commands_of, is_shell, only_looks
from .tool_calls import Event, args_of, command_lines, is_result, tool_of
from .tool_result import read_result

#: An output says how it ended in its first lines and its last; of a line so much is read.
_FIRST, _LAST, _LINE_CHARS, _END_CHARS = 2, 6, 240, 3_000
#: A line of so many words may be a bare refusal, or is a sentence about something.
_SHORT, _LONG = 6, 10
#: From here on it is called a failure: one that is told wrongly costs more than one missed.
#: The words of a long sentence must be sure.
_LIKELY, _SURE = 0.5, 0.9

_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: an?)?(?: non-zero)?[ _-]?(?:code|status)|returned non-zero exit "
    r"status|returned a non-zero code|return ?code)\W{0,3}(?P<code>-?\d+)",
    re.IGNORECASE,
)
_DATA = re.compile(r"\{|\[[\[\]{\"'\d]")
_HTTP_ALONE = re.compile(r"(?P<code>[1-5]\d\d)(?:\s|\Z)")
_REFUSED_BY_SHELL = re.compile(
    r"(?:fatal|error|[\w/]*sh): |Error from server|Unable to read"
    r"|(?:File|Path|Directory) .* (?:not found|does not exist)"
)
#: Lines with which programs and compilers say that they failed, at the beginning or the end.
_SAYS_SO = re.compile(
    r"\s*(?:.*: )?(?:fatal )?(?:error|failed)(?: ?\w*\d+)?: .+"
    r"|.*\*\*\* .+|\s*! \[.*rejected\].*|npm (?:ERR!|error) .+|E: .+|.*\.{3,} ?(?:FAIL|Fail)ed\b.*"
    r"|(?:test result: )?FAILED\b.*"
    r"|(?i:.*\b(?:edit|change|patch|replacement)s?\b.{0,40}"
    r"\b(?:not(?! staged)|introduced|rejected|refused)\b.*)"
)
_STACK = re.compile(r"^Traceback \(most recent|Error: .*\n+\s+at |^goroutine \d+ \[", re.MULTILINE)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


#: Kinds of words, of which the head weighs where they stand.
_MARKS = {
    "not": _words(
        r"not (?:be )?found|no such|not exist|n['’]t exist|cannot|can['’]t|could(?: not|n['’]t)"
        r"|unable|did not|do(?:es)? not|was not|were not|is not|has not|out of"
        r"|nothing (?:was|added)|not (?:a|been|valid|allowed|permitted|supported|authenticated)"
        r"|not (?:configured|ready|enough|changed)|no (?:longer|available|acceptable|matching)"
        r"|no (?:tracking|route|space|rule|solution)"
    ),
    "bad": _words(
        r"invalid|unknown|unrecognized|unsupported|unexpected|undefined|unresolved|unhealthy"
        r"|unreachable|unavailable|unauthorized|forbidden|missing|required|denied|refused|rejected"
        r"|declined|expired|exceeded|exhausted|locked|duplicate|mismatch|conflict|corrupt|malformed"
        r"|illegal|incorrect|wrong|already (?:exists|in use|open)|timed? ?out|must be|read-only"
        r"|too (?:many|large|long)"
    ),
    "fails": _words(
        r"(?<![a-z])(?:fail(?:s|ed|ing|ure)?\b|crash(?:ed|loop)?|abort(?:ed|ing)?|halted|panic|killed|terminated"
        r"|core dumped|faults?\b|stopped|overflow|went wrong|unsuccessful)"
    ),
    "error": re.compile(
        r"\b(?i:errors?|fatal|exception)\b|\b[\w.]*[a-z](?:Error|Exception|Interrupt)\b|\bERR[!_]|\bE\d{3,}"
        r"|\bE[A-Z]{5,}"
    ),
    "some": _words(
        r"\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?)\b"
        r"|\b(?:failed|failures?|errors?|fail)\W{1,8}[1-9]"
    ),
    "none": _words(
        r"\b(?:0|no|zero|without) (?:\w+ )?(?:failed|failures?|errors?|(?:problem|warning|issue"
        r"|conflict)s?)\b|\b(?:failed|failures?|errors?|fail)\W{1,8}(?:0|none|null)\b"
    ),
    "good": _words(
        r"\b(?:pass(?:ed)?|success(?:ful(?:ly)?)?|succeeded|ok|done|completed?|finished|saved"
        r"|updated|created|applied|sent|correct|clean|up to date|edited|installed"
        r"|configured)\b|[✓✔✅]"
    ),
    "number": re.compile(r"\b[45]\d\d\b"),
    "status": _words(
        r"(?:HTTP\S*|status|code|response)\W{1,3}[45]\d\d\b|\b[45]\d\d (?-i:[A-Z][a-z]+)"
    ),
    "name": re.compile(r"\A\W*[^\W\d][\w./-]*: "),
    "cross": re.compile(r"[✗✘✖×❌💥]"),
    "may": _words(
        r"\b(?:if|when|how|why|(?:can|could|would|should|may)(?! not)|raised?|fix(?:ed|es)?"
        r"|handl\w+|page|retr(?:y|ied|ying)|because|means?)\b(?!['’]t)"
    ),
}


def is_error(event: Event) -> bool:
    """Return whether the event is a tool's failure: by the caller's word, or what it returned."""
    if not is_result(event):
        return False
    if (event.get("tool") or {}).get("isError"):
        return True
    result = read_result(event)
    if result.ok is not None:
        return not result.ok
    text = "\n".join(result.others).strip() if result.is_text else ""
    return bool(text) and not _DATA.match(text) and _shows_failure(text, event)


def _shows_failure(text: str, event: Event) -> bool:
    first, last = text.split("\n", 1)[0].strip(), text.rsplit("\n", 1)[-1].strip()
    tool, args = tool_of(event), args_of(event)
    asked = _HTTP_ALONE.match(text) if any("http_code" in arg for arg in args) else None
    for code in (_EXIT.search(first), _EXIT.search(last)):
        if code is not None:
            return int(code["code"]) != 0
    if asked is not None:
        return int(asked["code"]) >= 400
    shell = is_shell(tool)
    lines = command_lines(event) if shell else []
    programs = [command.program for line in lines for command in commands_of(line)]
    if only_looks(tool, programs):
        named = any(first.startswith(f"{program.split()[0]}: ") for program in programs)
        if "\n" in text or (shell and not named and not _REFUSED_BY_SHELL.match(first)):
            return False
    if shell and (_STACK.search(text[-_END_CHARS:]) or any(map(_SAYS_SO.fullmatch, _ends(text)))):
        return True
    tells = "\n" not in text and len(first.split()) > _LONG and first.endswith(".")
    return _likelihood("\n".join(_ends(text))) >= (_SURE if tells else _LIKELY)


@lru_cache(maxsize=512)
def _likelihood(ends: str) -> float:
    return load_heads("failures").likelihoods(output_features(ends))["failed"]


def _ends(text: str) -> list[str]:
    """Return the first and the last lines of an output, without blank ones."""
    cut = len(text) > 2 * _END_CHARS
    text = f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}" if cut else text
    lines = [line[:_LINE_CHARS] for line in map(str.strip, text.splitlines()) if line]
    return lines[:_FIRST] + lines[_FIRST:][-_LAST:]


def output_features(text: str) -> dict[str, float]:
    """Return what the head weighs of an output: kinds of words, by where they stand."""
    ends = _ends(text)
    alone = len(ends) == 1
    names = ["alone"] * alone
    for name, pattern in _MARKS.items():
        at = [place for place, line in enumerate(ends) if pattern.search(line)]
        names += [f"{name} alone" if alone else f"{name} among"] * bool(at)
        if not alone:
            names += [f"{name} first"] * (0 in at) + [f"{name} last"] * (len(ends) - 1 in at)
        for place, which in ((0, "first"), (len(ends) - 1, "last")):
            begins = pattern.match(ends[place].lstrip("=-*#>[( "))
            names += [f"{name} begins the {which}"] * bool(begins)
    if alone:
        words = len(ends[0].split())
        names += ["short"] * (words <= _SHORT) + ["long"] * (words > _LONG)
        names += ["sentence"] * ends[0].endswith(".")
    return dict.fromkeys(names, 1.0)
