"""Asks the server of this container how it is: `python probe.py /readyz`; the exit code tells. No dependency."""

import os
import sys
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

SECONDS = 4.0


def main(path: str) -> int:
    """0 when the path is answered with 200; what came instead is printed."""
    port = int(os.environ.get("FIELDGUIDE_HTTP", "8137").rpartition(":")[2])
    name = urlsplit(os.environ.get("FIELDGUIDE_PUBLIC_URL", "")).netloc or f"127.0.0.1:{port}"
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", path, headers={"Host": name})
        answer = connection.getresponse()
        text = answer.read(10_000).decode("utf-8", "replace").strip()
    except (OSError, HTTPException) as error:
        sys.stderr.write(f"No answer at {path}: {error}\n")
        return 1
    finally:
        connection.close()
    sys.stdout.write(f"{answer.status} {text}\n")
    return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else "/healthz"))
