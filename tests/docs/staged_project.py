"""A small project in which every command line of the documentation can be run: what the lines name is there."""

from pathlib import Path

from tests.git_projects import GitProject

FILES = {
    "src/fieldguide/__init__.py": "",
    "src/fieldguide/project_history/__init__.py": "",
    "src/fieldguide/files/confined_folder.py": (
        "class ConfinedFolder:\n    def status(self, path):\n        return path\n"
    ),
    "src/fieldguide/git/history.py": "from fieldguide.files.confined_folder import ConfinedFolder\n\n\n"
    "def read_history(folder):\n    return ConfinedFolder().status(folder)\n",
    "tests/test_history.py": "from fieldguide.git.history import read_history\n\n\n"
    '@proves("S1-26")\ndef test_history_is_read():\n    assert read_history("a") == "a"\n',
    "docs/requirements.md": "# Requirements\n\n- S1-26: History is read once.\n",
    "docs/guide.md": "# Guide\n\n## How a folder is confined\n\n"
    "Every path is opened below its root, and none leaves it, whatever a link or a name with dots may say to it.\n\n"
    "## How the history is kept\n\n"
    "Commits are read once, and kept by their ids until they are gone from what HEAD can reach, then forgotten.\n",
    "docs/decisions/0040-facts-of-a-file-resolved-when-asked.md": "---\nstatus: accepted\n---\n\n# Read history\n\n"
    "Chosen option: read `src/fieldguide/git/history.py` once.\n",
    "rules/no-print.yml": "id: no-print\nlanguage: python\nmessage: Nobody prints.\nrule:\n  pattern: print($$$A)\n",
    "known.json": '{"version": 1, "violations": []}\n',
    "notes.jsonl": "",
}


def staged_project(root: Path) -> GitProject:
    """The project, with a history, a tag, a branch of another place, and something that is about to be committed."""
    project = GitProject(root)
    for path, text in FILES.items():
        project.write(path, text)
    project.commit_all("Read the history of a project once and keep what was read")
    project.git("tag", "v1.4")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.commit("Tell the status of a folder where it is asked for", "src/fieldguide/files/confined_folder.py")
    project.write(
        "src/fieldguide/files/confined_folder.py",
        FILES["src/fieldguide/files/confined_folder.py"] + "\n\nSTAGED = True\n",
    )
    project.git("add", ".")
    return project
