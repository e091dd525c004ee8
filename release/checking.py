"""`python -m release.checking`: what must be true before `uv publish`, each in a line."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from release.__main__ import build_packages, digest
from release.facts import EXAMPLE, ROOT, Facts, read_facts


def main() -> int:
    """Say what holds and what does not; 1 if something does not."""
    facts = read_facts()
    wrong = 0
    for sentence, holds in checks(facts):
        is_true = holds()
        wrong += not is_true
        print(f"{'ok ' if is_true else 'NO '} {sentence}")
    print("`uv publish` sends dist/ to the index." if not wrong else f"{wrong} to be done first.")
    return int(bool(wrong))


def checks(facts: Facts) -> Iterator[tuple[str, Callable[[], bool]]]:
    """What must be true, and how it is found out."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dist = ROOT / "dist"
    yield "nothing is uncommitted", lambda: not _git("status", "--porcelain")
    yield f"this commit has the tag v{facts.version}", lambda: f"v{facts.version}" in _git("tag", "--points-at").split()
    yield f"CHANGELOG.md has a heading for {facts.version}", lambda: f"\n## [{facts.version}]" in changelog
    yield "release/publisher.toml has a repository and a namespace", lambda: is_filled(facts)
    yield (
        f"README.md holds `mcp-name: {facts.registry_name}`",
        lambda: f"mcp-name: {facts.registry_name}" in readme and is_filled(facts),
    )
    yield "dist/ is what this commit builds, byte for byte", lambda: is_reproduced(facts, dist)


def is_filled(facts: Facts) -> bool:
    """Whether somebody has said who publishes."""
    return facts.repository.startswith("https://") and facts.namespace != EXAMPLE


def is_reproduced(facts: Facts, dist: Path) -> bool:
    """Whether another build gives the same files; `dist/` must be there."""
    if not (dist / facts.wheel).exists():
        return False
    again = ROOT / "build" / "again"
    build_packages(again)
    names = (facts.wheel, facts.sdist)
    return all((dist / name).exists() and digest(dist / name) == digest(again / name) for name in names)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
