"""Files, projects and systems that a text names by their addresses: paths, repositories, hosts.

An address says what it is, so nothing is guessed: "and/or" is no file, "his/her" no repository,
"JFK/SEA" neither. Directories are no files; what is on this machine itself is no system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..core.entities.entity_gazetteer import NAME_CHARS_MAX, EntityType
from .word_lists import word_list


class NameMatch(NamedTuple):
    """A name that a rule found from `start` to before `end` of a text, and how sure it is."""

    start: int
    end: int
    type: EntityType
    name: str
    confidence: float


_URL = re.compile(
    r"\b(?:git\+)?(?:https?|wss?|ssh|git|s?ftp|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?"
    r"|rediss?|amqps?|kafka|nats|bolt(?:\+s)?|neo4j(?:\+s)?|ldaps?|mqtts?)://"
    r"(?:[^\s/@<>\"']{1,200}@)?([\w.-]{1,253})(?::\d{1,5})?([^\s<>\"'`)\]}|\\^]*)",
    re.IGNORECASE,
)
_SSH = re.compile(r"(?<![\w/])git@([\w.-]{1,253}):([\w.-]{1,100}/[\w./-]{1,100})")
_REFERENCE = re.compile(r"(?<![\w./@-])([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})#\d{1,7}\b")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,99}/[\w.-]{1,100}")
_FORGES = re.compile(
    r"(?:(?:www|api|raw)\.)?(?:github|gitlab|bitbucket|codeberg|gitea)\.(?:com|org)"
    r"|raw\.githubusercontent\.com|git\.sr\.ht|gitlab\.[\w.-]+",
    re.IGNORECASE,
)
#: First parts of a forge's addresses that are nobody's account.
_FORGE_PAGES = word_list("forge_pages")
_LOCALHOST = re.compile(r"localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0", re.IGNORECASE)
_HOSTNAME = re.compile(r"(?!-)[\w-]+(?:\.[\w-]+)*")
_TRAILING = ".,;:!?"
#: What an argument is called whose value is a file, or a repository.
FILE_KEYS = frozenset(
    "path file_path filepath filename file notebook_path target_file relative_path".split()
)
PROJECT_KEYS = frozenset("repo repository repo_name project repo_full_name full_name".split())
_BREAKS = "\\s'\"`<>|;,()=\\[\\]{}*!?\u2018\u2019\u201c\u201d"
_CHUNK = re.compile(rf"[^{_BREAKS}]+")
_DOTTED = re.compile(r"\.[A-Za-z]")
_DRIVE = re.compile(r"[A-Za-z]:\\")
_ESCAPED = re.compile(r"\\[nrt\"]")
_LINE_SUFFIX = re.compile(r"(?::\d+)+:?$|[:.#@]+$")
_PATH = re.compile(
    r"(?:[A-Za-z]:[\\/]|~[\w-]*/|\.{1,2}/|/|@)?(?:[\w.@+~-]+[\\/])*([\w@+~.-]*[\w+~-])"
)
_EXTENSION = re.compile(
    r".*[^.]\.(?:py[iw]?|ipynb|rs|go|java|kts?|scala|clj|rb|php|pl|lua|swift|[ch](?:pp|xx|h)?|cc|cs|"
    r"fs|vb|m|mm|jl|r|rmd|dart|exs?|erl|hs|ml|elm|zig|nim|sol|asm|s|sh|bash|zsh|fish|ps1|bat|cmd|"
    r"[jt]sx?|[mc][jt]s|vue|svelte|html?|css|s[ac]ss|less|json[l5c]?|ya?ml|toml|ini|cfg|conf|env|"
    r"lock|xml|xsd|svg|csv|tsv|parquet|arrow|avro|sqlite3?|db|sql|cypher|graphql|proto|md|mdx|rst|"
    r"txt|text|log|tex|bib|pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|epub|eml|ics|png|jpe?g|gif|webp|"
    r"bmp|tiff?|ico|heic|psd|mp[34]|m4[av]|wav|ogg|flac|mov|mkv|avi|webm|zip|tar|t?gz|bz2|xz|zst|"
    r"7z|rar|whl|jar|war|deb|rpm|dmg|exe|dll|so|dylib|bin|iso|img|patch|diff|pem|crt|key|tf|hcl|"
    r"gradle|cmake|mk|traj|npy|npz|pkl|pt|onnx|safetensors|gguf|h5|in|out|err|bak|tmp|map|po|d)",
    re.IGNORECASE,
)
#: Endings that also end words and abbreviations ("e.g.", "p.m", "Ph.D"): only behind a folder.
_AMBIGUOUS_EXTENSION = re.compile(
    r".{0,2}\.[chmrsd]|.*\.(?:in|out|so|key|env|err|text|map)", re.IGNORECASE
)
_HIDDEN_FILE = re.compile(
    r"\.(?:env|gitignore|gitattributes|gitmodules|dockerignore|npmrc|nvmrc|bashrc|zshrc|vimrc|profile"
    r"|editorconfig|prettierrc|eslintrc|babelrc|flake8|pylintrc|coveragerc)(?:\.\w{1,12})?"
)
_SPECIAL_FILES = frozenset(
    "makefile dockerfile jenkinsfile vagrantfile procfile gemfile rakefile license".split()
)
#: Libraries that carry an ending in their name.
_LIBRARIES = re.compile(
    r"(?:node|vue|next|nuxt|express|three|d3|react|ember|backbone|angular|chart|moment|nest|discord"
    r"|p5|require|socket|alpine|solid|plotly|leaflet|paper|math|matter|tensorflow|brain)\.js"
    r"|asp\.net|\d+\.\w+",
    re.IGNORECASE,
)


def find_addresses(text: str) -> Iterator[NameMatch]:
    """Yield the hosts and repositories of addresses in `text`; other parts of them are skipped."""
    if "://" in text:
        for match in _URL.finditer(text):
            yield from _matches_in_url(match)
    if "git@" in text:
        for match in _SSH.finditer(text):
            yield from _match_hostname(match[1], *match.span())
            if name := _repository(match[2]):
                yield NameMatch(*match.span(), EntityType.PROJECT, name, 0.95)
    if "#" in text:
        for match in _REFERENCE.finditer(text):
            yield NameMatch(*match.span(), EntityType.PROJECT, match[1], 0.85)


def find_files(text: str) -> Iterator[NameMatch]:
    """Yield the files that `text` names: by a path with an ending, or by a name with one."""
    if "." not in text or not _DOTTED.search(text):
        return
    if "\\" in text and not _DRIVE.search(text):
        # Of one length, so that positions stay what they are.
        text = _ESCAPED.sub("  ", text)
    for match in _CHUNK.finditer(text):
        if "." in (chunk := match.group()):
            name = _LINE_SUFFIX.sub("", chunk.removeprefix("file://"))
            if _is_file(name):
                start = match.start() + chunk.index(name)
                yield NameMatch(
                    start, start + len(name), EntityType.FILE, _without_dot_folder(name), 0.85
                )


def file_from_argument(value: str) -> str | None:
    """Return the file that an argument called "path" names, or None for a folder or a text."""
    path = value.strip()
    if not path or len(path) > NAME_CHARS_MAX or "\n" in path or "://" in path:
        return None
    last = re.split(r"[\\/]", path)[-1]
    is_listed_name = last.lower() in _SPECIAL_FILES
    return (
        _without_dot_folder(path)
        if is_listed_name or re.search(r"[^.]\.\w{1,12}$|^\.\w", last)
        else None
    )


def project_from_argument(value: str) -> str | None:
    """Return the repository that an argument called "repo" names as owner/name, or None."""
    name = value.strip()
    for match in find_addresses(name):
        if match.type is EntityType.PROJECT:
            return match.name
    return _repository(name) if _REPOSITORY.fullmatch(name) else None


def _matches_in_url(match: re.Match[str]) -> Iterator[NameMatch]:
    hostname, rest = match[1].rstrip("."), match[2].rstrip(_TRAILING)
    start, end = match.span()
    path = re.split(r"[?#@]", rest)[0].strip("/")
    if _FORGES.fullmatch(hostname) or path.endswith(".git"):
        if hostname.lower().startswith("api."):
            path = path.removeprefix("repos/")
        if name := _repository(path):
            yield NameMatch(start, end, EntityType.PROJECT, name, 0.95)
    yield from _match_hostname(hostname, start, end)


def _match_hostname(hostname: str, start: int, end: int) -> Iterator[NameMatch]:
    name = hostname.lower().removeprefix("www.").rstrip(".")
    if _HOSTNAME.fullmatch(name) and not _LOCALHOST.fullmatch(name):
        yield NameMatch(start, end, EntityType.SYSTEM, name, 0.9)


def _repository(path: str) -> str | None:
    parts = path.split("/")
    if len(parts) < 2 or parts[0].lower() in _FORGE_PAGES:
        return None
    name = f"{parts[0]}/{parts[1].removesuffix('.git')}".rstrip(".")
    return name if _REPOSITORY.fullmatch(name) else None


def _is_file(name: str) -> bool:
    if len(name) > NAME_CHARS_MAX or "://" in name or "@" in name[1:]:
        return False
    path = _PATH.fullmatch(name)
    if path is None:
        return False
    if _HIDDEN_FILE.fullmatch(path[1]):
        return True
    in_folder = len(path[1]) < len(name)
    ends = _EXTENSION.fullmatch(path[1]) is not None
    return ends and (
        in_folder or not (_AMBIGUOUS_EXTENSION.fullmatch(name) or _LIBRARIES.fullmatch(name))
    )


def _without_dot_folder(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path
