"""What git tracks is read from its index, in every version of it, and nothing in a repository is obeyed."""

import os

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import GitIndexLocation, find_git_index, read_tracked_paths
from fieldguide.prose.discovery import find_text, get_known_text


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(repository, version):
    paths = [
        "README.md", "docs/a-rather-long-name-of-a-page.md", "docs/a-rather-long-name.md", "docs/ß/ü.md", "src/a.py",
    ]  # fmt: skip
    for path in paths:
        repository.write(path, "text\n")
    repository.git("add", "--all")
    repository.git("update-index", "--index-version", version)
    if version == "3":
        repository.write("later.md", "text\n")
        repository.git("add", "--intent-to-add", "later.md")
        paths.append("later.md")

    place = find_git_index(str(repository.root))

    assert place is not None
    assert sorted(read_tracked_paths(str(repository.root), place) or ()) == sorted(paths)


def test_only_what_git_tracks_counts(repository):
    repository.write("README.md", "Read me.\n")
    repository.write(".gitignore", "docs/ignored.md\n")
    repository.write("docs/kept.md", "# Kept\n")
    repository.write("docs/ignored.md", "# Ignored\n")
    repository.commit_all("Begin")
    repository.write("docs/new.md", "# New\n")
    os.symlink("README.md", repository.root / "LINK.md")
    folder = ConfinedFolder(str(repository.root))
    known = get_known_text(str(repository.root))
    before = [each.path for each in known.now(folder).documents]

    repository.git("add", "docs/new.md")

    assert before == ["README.md", "docs/kept.md"]
    assert [each.path for each in known.now(folder).documents] == ["README.md", "docs/kept.md", "docs/new.md"]


def test_a_project_inside_a_repository_has_the_files_below_it(repository):
    repository.write("README.md", "Top.\n")
    repository.write("packages/web/README.md", "Web.\n")
    repository.commit_all("Begin")

    found = find_text(ConfinedFolder(str(repository.root / "packages" / "web")))

    assert [each.path for each in found.documents] == ["README.md"]
    assert found.is_tracked


def test_a_linked_work_tree_has_an_index_of_its_own(repository, tmp_path):
    repository.write("README.md", "Top.\n")
    repository.commit_all("Begin")
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))

    found = find_text(ConfinedFolder(str(tmp_path / "linked")))

    assert [each.path for each in found.documents] == ["README.md"]
    assert found.is_tracked


@pytest.mark.parametrize(
    "content",
    [
        b"", b"DIRC", b"DIRC" + b"\0" * 8, b"DIRC\0\0\0\x02\xff\xff\xff\xff",
        b"DIRC\0\0\0\x04\0\0\0\x05" + b"\xff" * 400, b"DIRC\0\0\0\x02\0\0\0\x02" + b"\0" * 62, b"not an index at all",
    ],
)  # fmt: skip
def test_a_broken_index_is_no_index(project, content):
    project.write("README.md", "Read me.\n")
    project.write(".git/index", content)

    found = find_text(ConfinedFolder(str(project.root)))

    assert [each.path for each in found.documents] == ["README.md"]
    assert not found.is_tracked


def test_a_file_that_names_another_folder_reads_nothing_but_an_index(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "index").write_text("a secret\n")
    project.write(".git", f"gitdir: {tmp_path / 'elsewhere'}\n")
    project.write("README.md", "Read me.\n")

    place = GitIndexLocation(str(tmp_path / "elsewhere"), "")
    assert read_tracked_paths(str(project.root), place) is None
    assert not find_text(ConfinedFolder(str(project.root))).is_tracked
