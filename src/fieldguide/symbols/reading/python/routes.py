"""Routes and commands that Python declares by a decorator or a call: the string is the name."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import COMMAND, ROUTE

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

COMMANDS = frozenset(("command", "group"))
PARSERS = frozenset(("add_parser",))


def tell_decorated(walk: "Walk", decorators: list[Any], defined: Any, within: int) -> None:
    """The route or command that a decorator declares: `@app.route("/x")`, `@click.command("x")`."""
    for each in decorators:
        call = next(iter(each.named_children()), None)
        if call is None or call.kind() != "call":
            continue
        called = walk.expression(call.field("function")).rpartition(".")
        name = _first_string(call.field("arguments"))
        if name is None or not called[1]:
            continue
        if name.text().startswith("/"):
            walk.define(name, ROUTE, within, whole=defined, body=defined.field("body"), told=_handler(defined))
        elif called[2] in COMMANDS:
            walk.define(name, COMMAND, within, whole=defined, body=defined.field("body"), told=_handler(defined))


def tell_command(walk: "Walk", path: str, arguments: Any, within: int) -> None:
    """The command that a call declares: `commands.add_parser("x")`."""
    _, dot, last = path.rpartition(".")
    if dot and last in PARSERS and (name := _first_string(arguments)) is not None:
        walk.define(name, COMMAND, -1, whole=arguments)


def _handler(defined: Any) -> str:
    name = defined.field("name")
    return f"={name.text()}" if name is not None else ""


def _first_string(arguments: Any) -> Any:
    first = next(iter(arguments.named_children()), None) if arguments is not None else None
    if first is None or first.kind() != "string":
        return None
    return next((each for each in first.named_children() if each.kind() == "string_content"), None)
