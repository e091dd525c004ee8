"""Detects which documents are translations, and whether a question may be in their language.

A folder called like a language is one only where its files have fellows: in the folder of another language beside it,
or in what lies around it. A name with a language at its end is one where the same name without it is there too.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.text import regex as re

# fmt: off
SCRIPTS: dict[str, tuple[tuple[int, int], ...]] = {
    "ja": ((0x3040, 0x30FF),), "ko": ((0xAC00, 0xD7AF), (0x1100, 0x11FF)), "zh": ((0x4E00, 0x9FFF),),
    "ru": ((0x0400, 0x04FF),), "uk": ((0x0400, 0x04FF),), "bg": ((0x0400, 0x04FF),), "be": ((0x0400, 0x04FF),),
    "sr": ((0x0400, 0x04FF),), "mk": ((0x0400, 0x04FF),), "kk": ((0x0400, 0x04FF),), "mn": ((0x0400, 0x04FF),),
    "ar": ((0x0600, 0x06FF),), "fa": ((0x0600, 0x06FF),), "ur": ((0x0600, 0x06FF),), "he": ((0x0590, 0x05FF),),
    "hi": ((0x0900, 0x097F),), "mr": ((0x0900, 0x097F),), "ne": ((0x0900, 0x097F),), "bn": ((0x0980, 0x09FF),),
    "ta": ((0x0B80, 0x0BFF),), "te": ((0x0C00, 0x0C7F),), "kn": ((0x0C80, 0x0CFF),), "ml": ((0x0D00, 0x0D7F),),
    "th": ((0x0E00, 0x0E7F),), "km": ((0x1780, 0x17FF),), "my": ((0x1000, 0x109F),), "el": ((0x0370, 0x03FF),),
    "ka": ((0x10A0, 0x10FF),), "hy": ((0x0530, 0x058F),), "am": ((0x1200, 0x137F),),
}
# fmt: on
LATIN = ((0x00C0, 0x024F),)  # letters that English does not have
LEAST_IN_SCRIPT = 2


def is_asked_in(question: str, language: str) -> bool:
    """Whether a question may be in a language, as a folder names it (`zh-cn`): by its letters, never by its words."""
    first = language.partition("-")[0]
    if first == "en":
        return question.isascii()
    if first not in SCRIPTS:
        return _in_script(question, LATIN) > 0
    is_japanese = first == "zh" and _in_script(question, SCRIPTS["ja"]) >= LEAST_IN_SCRIPT
    return not is_japanese and _in_script(question, SCRIPTS[first]) >= LEAST_IN_SCRIPT


def _in_script(question: str, ranges: tuple[tuple[int, int], ...]) -> int:
    count = 0
    for each in question:
        count += any(low <= ord(each) <= high for low, high in ranges)
    return count


# fmt: off
CODES = frozenset((
    "am", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi",
    "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "ku",
    "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "nb", "ne", "nl", "nn", "no", "pa", "pl", "pt", "ro", "ru", "si",
    "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "uz", "vi", "zh",
))
COUNTRIES = {"cn": "zh-cn", "tw": "zh-tw", "jp": "ja", "kr": "ko", "br": "pt-br", "ua": "uk", "hans": "zh-hans",
             "hant": "zh-hant", "chinese": "zh", "japanese": "ja", "korean": "ko", "russian": "ru", "spanish": "es",
             "german": "de", "french": "fr", "english": "en", "cz": "cs", "gr": "el", "ir": "fa", "vn": "vi"}
HOMES = frozenset(("i18n", "locale", "locales", "translations", "translation", "lang", "langs", "l10n", "languages",
                   "localized", "localization"))
# fmt: on
FOLDER = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2,4}))?", re.IGNORECASE)
ENDING = re.compile(r"(.+?)(?:([._-])([a-z]{2}[-_][a-z]{2,4})|([._-])([a-z]{2,8}))(\.[a-z]+)", re.IGNORECASE)
LEAST_SHARED = 0.3
MAIN = ""


def find_languages(paths: Sequence[str]) -> dict[str, str]:
    """The language of each document that is a translation; those of the main language are not among them."""
    found: dict[str, str] = {}
    for parent, groups in _groups(paths).items():
        found |= _told_apart(parent, groups)
    found |= _by_names([path for path in paths if path not in found])
    return found


def _groups(paths: Iterable[str]) -> dict[str, dict[str, dict[str, str]]]:
    """For each folder with folders of languages: the paths of each language by what follows it, and of the rest."""
    groups: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for path in paths:
        folders = path.split("/")[:-1]
        at = next((at for at, name in enumerate(folders) if find_folder_language(name)), None)
        if at is not None:
            parent = "/".join(folders[:at])
            groups[parent][find_folder_language(folders[at])][
                _bare(path[len(parent) :].split("/", 1 + bool(parent))[-1])
            ] = path
    return _with_rest(groups, paths)


def _with_rest(
    groups: "dict[str, dict[str, dict[str, str]]]", paths: Iterable[str]
) -> "dict[str, dict[str, dict[str, str]]]":
    """The same, with what lies beside the folders of languages under the name of the main language."""
    inside = {path for languages in groups.values() for each in languages.values() for path in each.values()}
    for path in paths:
        if path in inside:
            continue
        folder = path.rpartition("/")[0]
        while folder:
            if folder in groups:
                groups[folder][MAIN][_bare(path[len(folder) + 1 :])] = path
            folder = folder.rpartition("/")[0]
        if "" in groups:
            groups[""][MAIN][_bare(path)] = path
    return groups


def _told_apart(parent: str, groups: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The translations among the folders of languages that lie in one folder."""
    home = parent.rpartition("/")[2].lower() in HOMES
    rest = groups.get(MAIN, {})
    languages = {code: each for code, each in groups.items() if code != MAIN}
    real = {code: each for code, each in languages.items() if home or _has_fellows(code, languages, rest)}
    if not real:
        return {}
    main = _main(real, rest, home=home)
    return {path: code for code, each in real.items() if code != main for path in each.values()}


def _has_fellows(code: str, languages: Mapping[str, Mapping[str, str]], rest: Mapping[str, str]) -> bool:
    """Whether the files of a language are there in what lies around them, or in another language."""
    mine = languages[code]
    return _shares(mine, rest) or any(_shares(mine, other) for each, other in languages.items() if each != code)


def _main(real: Mapping[str, Mapping[str, str]], rest: Mapping[str, str], *, home: bool) -> str:
    """The language that the others are made from: what lies around them, else English, else the largest."""
    if home or any(_shares(each, rest) for each in real.values()):
        return MAIN if rest or home else "en"
    english = [code for code in real if code.startswith("en")]
    return english[0] if english else max(real, key=lambda code: len(real[code]))


def _shares(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    if not one or not other:
        return False
    return len(one.keys() & other.keys()) >= LEAST_SHARED * min(len(one), len(other))


def _by_names(paths: Sequence[str]) -> dict[str, str]:
    """The translations that are told by the ends of their names, such as `README.zh-CN.md`."""
    there = {_bare(path) for path in paths}
    found: dict[str, str] = {}
    unsure: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        named = _named(path, there)
        if named is not None and named.is_sure:
            found[path] = named.code
        elif named is not None and named.mark == ".":  # `torch.nn.rst` is no Norwegian: one alone may be anything
            unsure[path.rpartition("/")[0], named.code].append(path)
    return found | {path: code for (_, code), fellows in unsure.items() if len(fellows) > 1 for path in fellows}


class _Named(NamedTuple):
    """What a file is called after a language by: the mark before it, and whether it can mean nothing else."""

    code: str
    mark: str
    is_sure: bool


def _named(path: str, there: Container[str]) -> _Named | None:
    """The language at the end of a name, where the same name without it is there too."""
    folder, slash, name = path.rpartition("/")
    match = ENDING.fullmatch(name)
    if match is None:
        return None
    stem = match.group(1)
    mark = match.group(2) or match.group(4)
    written = match.group(3) or match.group(5)
    code = _code(written)
    if not code or f"{folder}{slash}{stem}" not in there:
        return None
    is_shouted = stem.isupper() and (stem.isalpha() or stem == "CODE_OF_CONDUCT")
    return _Named(code, mark, is_shouted or match.group(3) is not None)


def _bare(path: str) -> str:
    """A path without the suffix of its format."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}"


def find_folder_language(name: str) -> str:
    """The language that a folder is called like; empty where it is called otherwise."""
    match = FOLDER.fullmatch(name)
    return name.lower().replace("_", "-") if match and match.group(1).lower() in CODES else ""


def _code(written: str) -> str:
    lowered = written.lower().replace("_", "-")
    first = lowered.partition("-")[0]
    return lowered if first in CODES else COUNTRIES.get(lowered, "")
