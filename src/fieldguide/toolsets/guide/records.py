"""What lies in no file and can be cited all the same: findings and tasks, by their addresses, with their lines."""

from fieldguide.discoveries.discovery import Discovery

FINDINGS = "finding://"
TASKS = "task://"


def finding_text(finding: Discovery) -> str:
    """The lines of a finding: what was found out, as it was recorded."""
    return finding.content


def task_text(title: str, description: str | None) -> str:
    """The lines of a task: its title, and below a blank line its description, where it has one."""
    return f"{title}\n\n{description}" if description else title
