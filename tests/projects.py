"""Projects for tests: folders with files in them."""

from pathlib import Path

from fieldguide.storage.state_folder import find_expected_folder, make_state_folder


class Project:
    """A folder that a test fills and a server serves."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, content: str | bytes) -> Path:
        """Put a file there, to the last byte."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    @property
    def state(self) -> Path:
        """Where servers of this project keep things; not made yet before one has."""
        return Path(find_expected_folder(str(self.root)))

    def write_state(self, path: str, content: str | bytes) -> Path:
        """Put a file into the state folder, to the last byte."""
        return Project(Path(make_state_folder(str(self.root)))).write(path, content)

    def add_directive(self, layout: str = "") -> None:
        """A small, complete directive folder."""
        self.write(
            f"directive/{layout}agent_operating_procedure.md", "# How\n\n**Do not write code before the TDR.**\n"
        )
        self.write(f"directive/{layout}agent_context.md", "# Context\n")
        for name in ("spec", "impact", "tdr"):
            self.write(f"directive/{layout}templates/{name}_template.md", f"# The {name} template\n")
