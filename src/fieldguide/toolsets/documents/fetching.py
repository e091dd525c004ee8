"""Fetches a collection that a person asked for, over https or with a guarded `git`.

Hosts must be on the public internet unless the person allows them by name. What a manifest names has the manifest's
origin, and a redirect stays on its host. Nothing of a repository is checked out, so none of its settings, hooks,
filters and links has an effect.
"""

import http.client
import os
import socket
import string
import subprocess
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from tempfile import TemporaryDirectory
from time import monotonic
from typing import IO, Any, cast
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, getproxies

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_process import GitReach, start_git
from fieldguide.git.fetch import check_address, make_header, open_address
from fieldguide.git.program import measure_folder, read_last_words
from fieldguide.search.backlog import SourceFile
from fieldguide.settings.limits import Limits
from fieldguide.spine.toolset import Progress
from fieldguide.text.cancellation import run_within
from fieldguide.text.errors import Misconfiguration, Unreadable
from fieldguide.toolsets.documents.bundle import LARGEST_BUNDLE_BYTES, take_packed_snapshot
from fieldguide.toolsets.documents.collections import (
    BUNDLES,
    GIT,
    DocumentCollection,
    GitLocation,
    is_remote,
    parse_git,
    take_local_snapshot,
)
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Snapshot,
    find_origin,
    hide_secrets,
    is_no_document,
    list_manifest_files,
    parse_manifest,
    take_contents_snapshot,
)

UNICAST = IPv6Network("2000::/3")
TRANSLATED = IPv6Network("64:ff9b::/96")  # how a network of IPv6 alone names every host of IPv4
SILENCE_SECONDS = 30.0
LOOK_SECONDS = 0.1
PIECE_BYTES = 1 << 16
MEGABYTE = 1 << 20
LARGEST_LISTING_BYTES = 64 << 20
NOT_THERE = (404, 410)
REGULAR_FILES = (b"100644", b"100755")


class FetchRules:
    """The hosts that one fetch may reach, and what is left of its time and size."""

    def __init__(self, limits: Limits, allowed: Collection[str] = ()) -> None:
        self._limits = limits
        self._allowed = {host.lower() for host in allowed}
        self._started = monotonic()
        self._received = 0

    def check_host(self, address: str) -> None:
        """Refuse a host that is not on the public internet, and an address that is not encrypted."""
        try:
            parts = urlsplit(address)
            port = parts.port or 443
        except ValueError:
            raise Unreadable(f"{hide_secrets(address)!r} is not an address on the web.") from None
        host = parts.hostname or ""
        if host in self._allowed:
            return
        hint = f"Allow it with --allow-address {host}, or in `allow` under [fetch] in your own settings."
        if parts.scheme not in ("https", "ssh"):
            raise Unreadable(f"{hide_secrets(address)} is not encrypted: write https://. {hint}")
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            if getproxies().get(parts.scheme):
                return  # the proxy looks names up
            raise Unreadable(f"{host} can't be found.") from None
        if not all(_is_public(str(place[0])) for *_, place in found):
            raise Unreadable(f"{host} is not on the public internet. {hint}")

    def receive(self, size_bytes: int) -> None:
        """Count bytes of the collection."""
        self._received += size_bytes
        self.check("fetched_megabytes", self._received / MEGABYTE)

    def seconds_left(self) -> float:
        """The time that is left; refused when there is none."""
        self.check("fetch_seconds", monotonic() - self._started)
        return self._limits.fetch_seconds - (monotonic() - self._started)

    def check(self, limit: str, used: float) -> None:
        """Refuse more than a limit allows."""
        if used > getattr(self._limits, limit):
            raise Unreadable(f"The fetch is given up: {self._limits.told(limit)}.", limit=limit)


def _is_public(text: str) -> bool:
    """Returns whether an address is public; an IPv6 address that embeds an IPv4 address is judged by the latter."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address in TRANSLATED:
            address = IPv4Address(int(address) & 0xFFFFFFFF)
        elif older := address.ipv4_mapped or address.sixtofour:
            address = older
        elif address not in UNICAST:
            return False
    return address.is_global and not address.is_multicast


def read_allowed_hosts(flags: Sequence[str], settings: Mapping[str, Any]) -> list[str]:
    """The hosts that a person allows by flags and in `allow` under [fetch] of their own settings."""
    listed: list[Any] = settings.get("allow", [])
    if not isinstance(listed, list) or not all(isinstance(host, str) for host in listed):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Misconfiguration("`allow` under [fetch] must be a list of hosts.")
    return [*flags, *listed]


def fetch_snapshot(
    collection: DocumentCollection, progress: Progress, rules: FetchRules, *, project: ConfinedFolder
) -> Snapshot:
    """What a collection holds, with everything read that had to be fetched."""
    read = partial(_read_ahead, name=f"fetching {collection.id}", progress=progress, rules=rules)
    if collection.source.startswith(GIT):
        location = parse_git(collection.source)
        with TemporaryDirectory(prefix="fieldguide-git-") as folder:
            return _FetchedCommit(folder, location, rules).snapshot(read)
    web = WebFiles(collection.source, rules)
    if is_remote(collection.source):
        return read(web.snapshot())
    return read(take_local_snapshot(collection, web.fetch, project=project))


def _read_ahead(snapshot: Snapshot, *, name: str, progress: Progress, rules: FetchRules) -> Snapshot:
    rules.check("fetched_files", len(snapshot.entries))
    entries: list[SourceFile] = []
    for number, entry in enumerate(snapshot.entries, start=1):
        rules.seconds_left()
        if entry.stamp:  # a local file
            entries.append(entry)
        elif not is_no_document(entry):
            content = entry.read()
            rules.receive(len(content or b""))
            entries.append(entry._replace(read=(lambda: None) if content is None else partial(bytes, content)))
        progress(number, len(snapshot.entries), name)
    return snapshot._replace(entries=entries)


class _SameOrigin(HTTPRedirectHandler):
    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        if find_origin(newurl) != find_origin(req.full_url):
            fp.close()
            raise Unreadable(f"{hide_secrets(req.full_url)} leads to another host: name the address that it has now.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class WebFiles:
    """The files of a manifest or a bundle on the web, or those with an address that a local one names."""

    def __init__(self, source: str, rules: FetchRules) -> None:
        self._source = source
        self._origin = find_origin(source) if is_remote(source) else None
        self._rules = rules
        self._opener = build_opener(_SameOrigin)

    def snapshot(self) -> Snapshot:
        """What a manifest or a bundle holds; its files are fetched when they are read."""
        if urlsplit(self._source).path.endswith(BUNDLES):
            return take_packed_snapshot(self._required(LARGEST_BUNDLE_BYTES), self.fetch)
        manifest = parse_manifest(self._required(LARGEST_MANIFEST_BYTES))
        if manifest.globs:
            raise Unreadable("A manifest on the web must name its files: a web server does not list folders.")
        base = urljoin(self._source, f"{manifest.base_url.rstrip('/')}/") if manifest.base_url else self._source
        entries = list_manifest_files(manifest, lambda name: self.fetch(urljoin(base, quote(name))), self.fetch)
        return Snapshot([*entries], manifest.details)

    def fetch(self, address: str) -> bytes | None:
        """A file that a manifest names; None if it is not there."""
        if self._origin is not None and find_origin(address) != self._origin:
            raise Unreadable(f"{hide_secrets(address)} is on another host than the manifest that names it.")
        return self._read(address, LARGEST_DOCUMENT_BYTES)

    def _required(self, limit_bytes: int) -> bytes:
        content = self._read(self._source, limit_bytes)
        if content is None:
            raise Unreadable(f"There is nothing at {hide_secrets(self._source)}.")
        return content

    def _read(self, address: str, limit_bytes: int) -> bytes | None:
        shown = hide_secrets(address)
        self._rules.check_host(address)
        seconds = self._rules.seconds_left()

        def ask() -> bytes:
            with self._opener.open(self._make_request(address), timeout=min(SILENCE_SECONDS, seconds)) as answer:
                if answer.headers.get("Content-Encoding", "identity") != "identity":
                    raise Unreadable(f"{shown} is compressed, which was not requested.")
                return self._read_body(answer, limit_bytes, shown)

        try:
            return run_within(seconds, ask)
        except HTTPError as error:
            error.close()
            if error.code in NOT_THERE:
                return None
            raise Unreadable(f"{shown} answered {error.code}.") from None
        except (OSError, ValueError, http.client.HTTPException):  # also where the time is over
            self._rules.seconds_left()
            raise Unreadable(f"{shown} can't be fetched.") from None

    def _make_request(self, address: str) -> Request:
        """A request with the user of the source in a header."""
        parts = urlsplit(address)
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="").geturl()
        request = Request(quote(bare, safe=string.punctuation))  # noqa: S310  its scheme was checked
        request.add_header("User-Agent", "fieldguide")
        source = urlsplit(self._source)
        if self._origin is not None and source.username is not None:
            user = f"{unquote(source.username)}:{unquote(source.password or '')}"
            request.add_header("Authorization", f"Basic {b64encode(user.encode()).decode()}")
        return request

    def _read_body(self, answer: http.client.HTTPResponse, limit_bytes: int, shown: str) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while piece := answer.read1(PIECE_BYTES):
            self._rules.seconds_left()
            pieces.append(piece)
            size += len(piece)
            if size > limit_bytes:
                raise Unreadable(f"{shown} is too large.")
        if answer.length:
            raise http.client.IncompleteRead(b"")
        return b"".join(pieces)


class _FetchedCommit:
    """One commit of a repository, fetched without history into a folder; no terminal, so that nothing can be asked."""

    def __init__(self, folder: str, location: GitLocation, rules: FetchRules) -> None:
        self._folder = folder
        self._location = location
        self._rules = rules
        address = check_address(location.repository)
        if not address.startswith("file://"):
            rules.check_host(address)
        self._target = open_address(address)
        variables = make_header(self._target.authorization)
        self._reach = GitReach("A collection from git", address.partition("://")[0], variables=variables)

    def snapshot(self, hold: Callable[[Snapshot], Snapshot]) -> Snapshot:
        """The regular files of the commit."""
        ref = self._location.ref or "HEAD"
        self._run("init", "--quiet", "--bare", "--template=")
        self._run("fetch", "--quiet", "--depth", "1", "--no-tags", "--", self._target.address, ref)
        objects = self._list_objects()
        fetch = WebFiles(self._location.repository, self._rules).fetch
        with self._start("cat-file", "--batch", errors=subprocess.DEVNULL) as reader:
            read = partial(self._read, objects, reader)
            return hold(take_contents_snapshot(objects, read, manifest=self._location.manifest, fetch=fetch))

    def _run(self, *arguments: str) -> None:
        """Run a command to its end, unless its folder grows beyond the limit."""
        with open(os.path.join(self._folder, "errors"), "w+b") as errors:
            with self._start(*arguments, output=subprocess.DEVNULL, errors=errors) as process:
                while process.poll() is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_SECONDS)
                    self._rules.check("fetched_megabytes", (measure_folder(self._folder) or 0) / MEGABYTE)
            if process.returncode:
                self._rules.seconds_left()
                reason = read_last_words(errors, hide_secrets)
                raise Unreadable(f"git could not fetch {hide_secrets(self._location.repository)}: {reason}")

    def _start(self, *arguments: str, output: int = subprocess.PIPE, errors: IO[bytes] | int) -> Any:
        seconds = self._rules.seconds_left()
        return start_git(arguments, self._folder, seconds, reach=self._reach, output=output, errors=errors)

    def _list_objects(self) -> dict[str, bytes]:
        with self._start("ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD", errors=subprocess.DEVNULL) as lister:
            listing: bytes = lister.stdout.read(LARGEST_LISTING_BYTES)
        if len(listing) == LARGEST_LISTING_BYTES:
            raise Unreadable("The repository has more files than can be listed.")
        objects: dict[str, bytes] = {}
        for line in listing.split(b"\0"):
            about, _, path = line.partition(b"\t")
            words = about.split()
            if len(words) == 4 and words[0] in REGULAR_FILES and int(words[3]) <= LARGEST_DOCUMENT_BYTES:
                objects[path.decode(errors="replace")] = words[2]
        return objects

    def _read(self, objects: dict[str, bytes], reader: "subprocess.Popen[bytes]", name: str) -> bytes | None:
        if name not in objects:
            return None
        asked = cast("IO[bytes]", reader.stdin)
        answers = cast("IO[bytes]", reader.stdout)
        try:
            asked.write(objects[name] + b"\n")
            asked.flush()
            size = int(answers.readline().split()[2])
            content = answers.read(size + 1)
        except (OSError, IndexError, ValueError):
            content, size = b"", 0
        if len(content) != size + 1:
            self._rules.seconds_left()
            raise Unreadable(f"git could not read {name!r}.")
        return content[:size]
