"""Servers for tests: raw ones, which say any bytes for as long as they like, encrypted or not, and git's own."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

Speak = Callable[[socket.socket, threading.Event], None]


class Rude(NamedTuple):
    """A raw server: its port, and the first bytes of every request it got."""

    port: int
    heard: list[bytes]


@contextmanager
def rude_server(speak: Speak, context: ssl.SSLContext | None = None) -> Iterator[Rude]:
    """A server that hears a request and then says whatever `speak` does, until the block ends."""
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    rude = Rude(listener.getsockname()[1], [])

    def serve(plain: socket.socket) -> None:
        with suppress(OSError), plain:
            line = context.wrap_socket(plain, server_side=True) if context else plain
            with line:
                rude.heard.append(_request(line))
                speak(line, over)

    def accept() -> None:
        with suppress(OSError):
            while not over.is_set():
                threads.append(threading.Thread(target=serve, args=(listener.accept()[0],)))
                threads[-1].start()

    threads = [threading.Thread(target=accept)]
    threads[0].start()
    try:
        yield rude
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in threads:
            thread.join()


def _request(line: socket.socket) -> bytes:
    """A whole request: what is left unread would break the connection before its answer was heard."""
    heard = line.recv(65536)
    head, _, body = heard.partition(b"\r\n\r\n")
    length = next((int(each[15:]) for each in head.splitlines() if each.lower().startswith(b"content-length:")), 0)
    while len(body) < length and (piece := line.recv(65536)):
        heard, body = heard + piece, body + piece
    return heard


def saying(answer: bytes) -> Speak:
    """Says this and no more."""
    return lambda line, over: line.sendall(answer)


def dripping(head: bytes, drop: bytes) -> Speak:
    """Says a head, and then a drop now and then, without an end."""

    def speak(line: socket.socket, over: threading.Event) -> None:
        line.sendall(head)
        while not over.wait(0.05):
            line.sendall(drop)

    return speak


def flooding(head: bytes, wave: bytes) -> Speak:
    """Says a head, and then the same again and again, as fast as it goes."""

    def speak(line: socket.socket, over: threading.Event) -> None:
        line.sendall(head)
        while not over.is_set():
            line.sendall(wave)

    return speak


def make_certificate(folder: Path, name: str) -> Path:
    """A certificate with its key, for a server of that name."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    whose = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(whose, whose, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    made = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False).sign(
        key, hashes.SHA256()
    )
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(key.private_bytes(*form) + made.public_bytes(serialization.Encoding.PEM))
    return path
