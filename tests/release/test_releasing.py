"""The way to a release: the workflow files start what decides here, and the check refuses what nobody has filled in."""

from dataclasses import replace

import pytest
import yaml

from release.checking import checks, is_filled
from release.facts import ROOT
from tests.proves import proves


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


@proves("Z-98")
def test_ci_runs_what_runs_here():
    assert commands(workflow("ci.yml")["jobs"]["test"]) == [".ci/run"]


@proves("Z-98")
def test_macos_and_wsl_run_all_tests_and_windows_the_types():
    jobs = workflow("other-systems.yml")["jobs"]

    assert commands(jobs["macos"]) == ["make test PYTHON=python3"]
    assert commands(jobs["wsl"])[-1] == "cd ~/fieldguide && .ci/run"
    assert "mypy --config-file .ci/mypy-windows.toml" in commands(jobs["windows"])


@proves("Z-98")
def test_a_tag_is_checked_before_it_is_published_without_a_token_of_ours():
    release = workflow("release.yml")
    build, publish = (release["jobs"][name] for name in ("build", "publish"))

    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    assert commands(build) == [".ci/run", "make release-check"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


@proves("Z-98")
@pytest.mark.parametrize(
    ("repository", "namespace", "expected"),
    [
        ("", "org.example", False),
        ("https://example.com/fieldguide", "org.example", False),
        ("", "com.example", False),
        ("https://example.com/fieldguide", "com.example", True),
    ],
)
def test_nothing_is_released_before_somebody_says_who_publishes(facts, repository, namespace, expected):
    assert is_filled(replace(facts, repository=repository, namespace=namespace)) is expected


def test_the_check_asks_for_tag_changelog_address_and_the_same_bytes(facts):
    sentences = [sentence for sentence, _ in checks(facts)]

    assert f"this commit has the tag v{facts.version}" in sentences
    assert "dist/ is what this commit builds, byte for byte" in sentences
    assert len(sentences) == 7
