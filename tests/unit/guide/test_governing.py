"""What applies to a path, piece by piece: owners, globs of rules, what a caller means, what a test names."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.guide.governs import MOST_TARGETS, find_rules, matches_owner_pattern, read_targets


@pytest.mark.parametrize(
    ("pattern", "path", "is_meant"),
    [
        ("*", "a/b.py", True),
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyc", False),
        ("/docs/", "docs/a/b.md", True),
        ("/docs/", "src/docs/b.md", False),
        ("docs/", "src/docs/b.md", True),
        ("docs/", "docs", False),
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/a/b.md", False),
        ("apps/web", "apps/web/x.ts", True),
        ("apps/web", "other/apps/web/x.ts", False),
        ("**/logs", "a/b/logs/c", True),
        ("/a.py", "a.py", True),
        ("/a.py", "b/a.py", False),
        ("/", "a.py", False),
        ("!*.py", "a.py", False),
    ],
)
def test_a_pattern_of_codeowners_means_what_github_says(pattern, path, is_meant):
    assert matches_owner_pattern(pattern, path) is is_meant


@pytest.mark.parametrize(
    ("head", "is_meant"),
    [
        ("globs: src/*.ts,*.js", True),
        ("globs: *.ts", True),
        ("applyTo: '**/*.ts'", True),
        ('paths:\n  - "lib/**"\n  - src/', True),
        ("globs: lib/*.ts", False),
        ("globs: '**/*'", False),
        ("description: globs of src/*.ts", False),
        ("other:\n  - src/**", False),
    ],
)
def test_a_rule_holds_where_a_glob_of_its_front_matter_says(project, head, is_meant):
    project.write(".cursor/rules/a.mdc", f"---\n{head}\n---\n\nBe kind.\n")

    found = find_rules(ConfinedFolder(str(project.root)), "src/a.ts", [])

    assert bool(found) is is_meant


def test_the_nearest_rules_of_folders_come_first_and_the_projects_own_is_left_out(project):
    for folder in ("", "a/", "a/b/", "c/"):
        project.write(f"{folder}AGENTS.md", "# Rules\n")

    found = find_rules(ConfinedFolder(str(project.root)), "a/b/x.py", [])

    assert [rule.path for rule in found] == ["a/b/AGENTS.md", "a/AGENTS.md"]


def test_a_diff_means_each_of_its_files_once_under_both_names(project):
    diff = (
        "diff --git a/old.py b/new.py\nrename from old.py\nrename to new.py\n--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n"
        '--- /dev/null\n+++ b/added.py\t2026-01-01\n--- "a/sp ace.py"\n+++ /dev/null\n--- a/../../etc/passwd\n'
    )
    folder = ConfinedFolder(str(project.root))

    assert read_targets(folder, diff).files == ("old.py", "new.py", "added.py", "sp ace.py")
    many = read_targets(folder, "".join(f"+++ b/{number}.py\n" for number in range(MOST_TARGETS + 7)))
    assert (len(many.files), many.left_out) == (MOST_TARGETS, 7)
    with pytest.raises(InvalidArguments):
        read_targets(folder, "just\nwords\n")


def test_a_file_whose_name_looks_like_a_citation_is_meant_as_it_is(project):
    project.write("odd#L1-L2", "x\n")
    project.write("even.py", "x\n")
    folder = ConfinedFolder(str(project.root))

    assert read_targets(folder, "odd#L1-L2").files == ("odd#L1-L2",)
    assert read_targets(folder, "even.py#L1-L2@abcdef01").files == ("even.py",)
    assert read_targets(folder, ".").folders == ("",)
