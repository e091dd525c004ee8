"""The way to a release: the workflow files start what decides here, and the check refuses what nobody has filled in."""

from dataclasses import replace

import pytest
import yaml

from release.checking import checks, is_filled
from release.facts import ROOT


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def test_ci_runs_what_runs_here():
    assert commands(workflow("ci.yml")["jobs"]["test"]) == [".ci/run"]


def test_a_tag_is_checked_before_it_is_published_without_a_token_of_ours():
    release = workflow("release.yml")
    build, publish = (release["jobs"][name] for name in ("build", "publish"))

    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    assert commands(build) == [".ci/run", "make dist", ".venv/bin/python -m release.checking"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


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


def test_the_checks_find_the_changelog_and_name_what_is_missing(facts):
    found = {sentence: holds() for sentence, holds in checks(facts) if "dist/" not in sentence}

    assert found[f"CHANGELOG.md has a heading for {facts.version}"]
    assert not found["release/publisher.toml has a repository and a namespace"]
