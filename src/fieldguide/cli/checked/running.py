"""Files against a book of rules: read, sent to the parser processes many at a time, and judged."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from fieldguide.cli.checked.chosen_files import Chosen
from fieldguide.cli.checked.rule_book import LARGEST_BYTES, RuleBook
from fieldguide.cli.checked.suppressions import Judged, Suppression, judged
from fieldguide.cli.checked.violations import Outcome, Suppressed, Violation
from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.lines import split_lines
from fieldguide.errors import Refusal
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.parser_process import MOST_CHILDREN, in_child
from fieldguide.toolsets.architecture.rules import Breach

CHILD = "fieldguide.cli.checked.in_parser_process:told_files"
MOST_FILES_AT_ONCE = 64
MOST_CHARACTERS_AT_ONCE = 300_000  # so that three processes have something to do, and a text that ends one costs little
AHEAD = 4
HASH_DIGITS = 16
GIVEN_UP = Breach(
    "parseable", "Checking it took so long that it was given up: it is too far from code.", "warning", 1, 1
)


class Text(NamedTuple):
    """A file to check."""

    path: str
    language: str | None
    text: str


class Checking:
    """One check of many files."""

    def __init__(self, project: ConfinedFolder, rules: RuleBook) -> None:
        self._project = project
        self._rules = rules
        self._written = rules.written()
        self._passed_over: list[tuple[str, str]] = []
        self._files = 0

    def outcome(self, chosen: Chosen, language: str | None) -> Outcome:
        """What the files break, in their order; `language` is that of the files that were named."""
        violations: list[Violation] = []
        suppressed: list[Suppressed] = []
        batches = _batches(self._texts(chosen, language))
        workers = min(MOST_CHILDREN, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            while some := [*islice(batches, workers * AHEAD)]:
                for batch, answers in zip(some, pool.map(self._asked, some), strict=True):
                    for each, (findings, comments) in zip(batch, answers, strict=True):
                        found = self._judged(each, findings, comments)
                        violations += found.kept
                        suppressed += found.suppressed
        rules = tuple(self._rules.known.values())
        return Outcome(rules, tuple(violations), self._files, tuple(self._passed_over), tuple(suppressed))

    def _texts(self, chosen: Chosen, language: str | None) -> Iterator[Text]:
        about: dict[str | None, bool] = {}
        for path in chosen.paths:
            spoken = language if language and path in chosen.named else language_of(path)
            if spoken not in about:
                about[spoken] = self._rules.is_about(spoken)
            if about[spoken] and (text := self._read(path)) is not None:
                self._files += 1
                if text.strip():
                    yield Text(path, spoken, text)

    def _read(self, path: str) -> str | None:
        try:
            content = self._project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            self._passed_over.append((path, f"{error.message.partition(':')[0]}."))
            return None
        if b"\0" in content:
            self._passed_over.append((path, "Not a text file."))
            return None
        return content.decode("utf-8-sig", errors="replace")

    def _asked(self, batch: Sequence[Text]) -> list[Any]:
        """What a parser process says of some files; one by one where a text among them was too much for it."""
        told: list[Any] | None = in_child(CHILD, self._written, json.dumps(batch))
        if told is not None:
            return told
        if len(batch) == 1:
            return [[[list(GIVEN_UP)], []]]
        return [answer for each in batch for answer in self._asked([each])]

    def _judged(self, file: Text, findings: Sequence[Any], comments: Sequence[Any]) -> Judged:
        if not findings and not comments:
            return Judged(())
        lines = split_lines(file.text)
        violations = [self._violation(file.path, Breach(*each)) for each in findings]
        said = [Suppression(line, target, tuple(rules), reason) for line, target, rules, reason in comments]
        found = judged([_marked(each, lines) for each in violations], said, file.path, self._rules.known)
        return found._replace(kept=tuple(_marked(each, lines) for each in found.kept))

    def _violation(self, path: str, finding: Breach) -> Violation:
        end_line = finding.end_line or finding.line
        return Violation(path, finding.line, finding.column, end_line, self._rules.rule_of(finding))


def _marked(violation: Violation, lines: Sequence[str]) -> Violation:
    """A violation that knows what stands on its line, so that it is the same one where the line has moved."""
    line = lines[violation.line - 1] if violation.line <= len(lines) else ""
    digest = hashlib.sha256(" ".join(line.split()).encode()).hexdigest()[:HASH_DIGITS]
    return replace(violation, line_hash=digest)


def _batches(texts: Iterator[Text]) -> Iterator[list[Text]]:
    batch: list[Text] = []
    size = 0
    for each in texts:
        if batch and (len(batch) == MOST_FILES_AT_ONCE or size + len(each.text) > MOST_CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += len(each.text)
    if batch:
        yield batch
