"""The smallest server on the official SDK's low-level `Server`, over streamable HTTP; its first line names its port.

With the argument `json` it answers as plain JSON instead of a stream.
"""

import socket
import sys

import uvicorn
from mcp.server.lowlevel import Server
from sdk_lowlevel import call_tool, list_tools  # type: ignore[import-not-found]  # it is started beside it

LOOPBACK = "127.0.0.1"


def main() -> None:
    server = Server("noop", on_list_tools=list_tools, on_call_tool=call_tool)
    listener = socket.create_server((LOOPBACK, 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print(f"http://{LOOPBACK}:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    app = server.streamable_http_app(json_response="json" in sys.argv[1:])
    config = uvicorn.Config(app, http="h11", ws="none", log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
