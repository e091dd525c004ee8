"""What a session was about: told by the modules and folders of what it looked at, since nobody hears what was said."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from fieldguide.discoveries.discovery import Discovery, DiscoveryRepository
from fieldguide.discoveries.sessions import FileAccess, SessionRepository
from fieldguide.storage.port import Transaction

MOST_TOPICS = 5
PLAIN_FOLDERS = frozenset(("", "src", "lib", "app"))  # they hold everything, so they name nothing

ModuleOf = Callable[[str], str | None]


def tell_topics(transaction: Transaction, project: str, module_of: ModuleOf) -> None:
    """Give every session that has ended the topics that it has not got yet."""
    sessions, discoveries = SessionRepository(transaction, project), DiscoveryRepository(transaction, project)
    for session in sessions.untold():
        topics = topics_of(session.files, discoveries.of_session(session.id), module_of)
        sessions.set_topics(session.id, topics)


def topics_of(files: Iterable[FileAccess], discoveries: Iterable[Discovery], module_of: ModuleOf) -> Sequence[str]:
    """The names that cover most looks and discoveries, most first; the same session always has the same ones."""
    counted: Counter[str] = Counter(each.module for each in discoveries if each.module)
    for file in files:
        counted[module_of(file.path) or _name_of(file.path)] += file.uses
    return [name for name, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TOPICS]]


def _name_of(path: str) -> str:
    *folders, name = path.split("/")
    folder = folders[-1] if folders else ""
    return folder if folder not in PLAIN_FOLDERS else name.partition(".")[0] or name
