"""Finds the messages that a text sends and receives: events, actions, signals, commands, requests, items of a queue.

A message is a reference whose name is `~` and the key that both sides write: a quoted name, a constant
(`Events.SENT`), a type (`OrderPlaced`), a signal, a queue or the path of a URL. Who sends it and who receives it is
found by the key when somebody follows it; nothing here knows of another file. A receiver names its handler, or says
over how many lines it handles the message in place.
"""

from bisect import bisect_right
from collections.abc import Iterator

from fieldguide.code.symbols.facts import (
    CALLABLE,
    COMMAND,
    METHOD,
    RECEIVE,
    ROUTE,
    SEND,
    TYPE,
    SymbolFacts,
    SymbolReference,
)
from fieldguide.text import regex as re

MARK = "~"
HANDLED = "~@"
"""Before the name of a handler: such a reference has the key in place of the handler."""
MOST_MESSAGES = 3_000
MOST_LINES = 200  # of what receives a message in place
MOST_CHARACTERS = 12_000
MOST_LOOKED_AT = 2_000_000  # characters behind messages, for one text
SHORT_PATTERN = 400  # characters of a pattern before its arrow
LONGEST_SENDING = 60  # characters of the name and the parenthesis before a variant
SHORTEST_KEY = 3
SIGNATURE_LINES = 2
IN_PLACE = 0
"""The span of a function that is itself the handler."""

QUOTED = r"['\"`]([\w:./-]{3,80})['\"`]"
CONSTANT = r"((?:\w+(?:\.|::))+\w+)"
TYPE_ARGUMENTS = r"(?:<[\w<>, .\[\]]*>)?"
SENDING = (
    r"(?:\w*(?:[sS]end|[eE]mit|[dD]ispatch|[pP]ublish|[nN]otify|[fF]ire|[tT]rigger|[eE]nqueue|[bB]roadcast|[rR]aise"
    r"|[pP]ush)\w*|event|put|post|postMessage|invoke|Invoke|request|do_action|apply_filters)"
)
SENDS = re.compile(
    rf"\b{SENDING}\s*{TYPE_ARGUMENTS}\(\s*(?:new\s+([A-Z]\w*)|(?:\{{\s*type:\s*)?(?:{QUOTED}|{CONSTANT}))"
)
SENDS_BEFORE = re.compile(rf"\b{SENDING}\s*\($")
RECEIVING = (
    r"(?:on|once|addListener|addEventListener|subscribe|listen|handle|handleOnce|takeEvery|takeLatest|takeLeading"
    r"|addCase|add_action|add_filter|method|register\w*|bind|connect)"
)
# The handler is the last name: `app.method("x", mutator(undoable(save)))`, `[Mailer::class, "send"]`.
HANDLER = r"(?:\s*,\s*(?:[\w.$]+\(\s*)*\[?(?:[\w$]+(?:\.|->|::))*(?:class\s*,\s*)?['\"]?(\w+)['\"]?\s*[,)\]])?"
RECEIVES = re.compile(rf"\b{RECEIVING}\s*{TYPE_ARGUMENTS}\(\s*(?:{QUOTED}|{CONSTANT}){HANDLER}")
CASES = re.compile(rf"\bcase\s+{CONSTANT}\s*:")
COMMON = frozenset((
    "abort", "change", "click", "close", "connect", "connection", "data", "disconnect", "drain", "end", "error",
    "exit", "finish", "listening", "load", "message", "open", "ready", "request", "response", "resize",
    "submit", "timeout", "update",
))  # fmt: skip
"""Names of events that libraries send, too."""

VARIANT = re.compile(r"\b([A-Z]\w*)::([A-Z]\w*)\b")
MAPPING = frozenset(("from", "into", "try_from", "fmt", "eq", "hash", "clone", "to_string", "as_str", "name"))
"""Functions that match every variant of a type and handle none."""

QUEUED_LATER = re.compile(
    r"\b([A-Z]\w*)(?:\.|::)(?:dispatch|dispatchSync|dispatch_sync|perform_async|perform_later|perform_in|enqueue)\s*\("
)
MESSAGE_TYPES = re.compile(r"(?:\bnew\s+|[(,=]\s*)([A-Z]\w*(?:Event|Command|Notification|Job|Query|Message))\s*[({]")
HANDLES = re.compile(
    r"(?i)(?:handle\w*|on_?\w*|execute\w*|consume\w*|process\w*|apply|when|receive\w*|__invoke|invoke|listen\w*)$"
)
RUNS = frozenset(("handle", "perform", "__invoke"))
"""Methods of a class that is sent as a whole, as jobs are."""

SIGNALS = re.compile(r"\b(\w+)\??\.(?:send|send_robust|asend|emit|fire|next|notify|publish|trigger|Invoke)\s*\(")
CONNECTS = re.compile(r"\b(\w+)\.(?:connect|subscribe|add_listener|addListener|collect)\s*\(\s*(?:\w+\.)*(\w+)?")
DECORATED = re.compile(r"@receiver\(\s*\[?\s*(?:\w+\.)*(\w+)[^\n]*\n(?:\s*@[^\n]*\n)*\s*(?:async\s+)?def\s+\w+")
NO_SIGNALS = frozenset((
    "api", "app", "axios", "bus", "client", "cls", "conn", "connection", "console", "context", "controller",
    "ctx", "cursor", "driver", "emitter", "engine", "event", "events", "http", "logger", "mailer", "observer",
    "pool", "port", "process", "queue", "redis", "req", "request", "res", "response", "router", "self",
    "sender", "server", "service", "session", "socket", "sock", "store", "stream", "super", "target", "this",
    "transport", "web3", "window", "writer",
))  # fmt: skip
"""What sends more than one kind of message."""

QUEUE = r"(\w*(?:[qQ]ueue|[iI]nbox|[mM]ailbox|[cC]hannel|[bB]acklog)\w*)"
PUTS = re.compile(rf"\b{QUEUE}\.(?:put|put_nowait|offer|add|enqueue|push|send|append|write|Add|Enqueue|TryAdd)\s*\(")
TAKES = re.compile(rf"\b{QUEUE}\.(?:get|get_nowait|take|poll|dequeue|pop|popleft|recv|receive|shift|Take|Dequeue)\s*\(")
CHANNELS = re.compile(r"\b(\w+)\s*:?=?\s*(?:make\()?(?:<-)?chan\b")
INTO_CHANNEL = re.compile(r"(\w+)\s*<-\s*\w")
TAKEN_CHANNEL = re.compile(r"(?:[=(,{:]|\bcase|\breturn|\n)\s*<-\s*(?:\w+\.)*(\w+)\b")
RANGED_CHANNEL = re.compile(r"\brange\s+(?:\w+\.)*(\w+)\s*\{")
GIVEN_CHANNEL = re.compile(r"\b(\w+)\(([^()\n]{0,200})\)")
NO_CHANNELS = frozenset((
    "case", "done", "stop", "quit", "exit", "closed", "close", "cancel", "sem", "err", "errs", "errc", "errch",
    "errchan", "ctx", "ticker", "c", "timer", "tick",
))  # fmt: skip
ABOUT_CHANNELS = frozenset(("close", "make", "len", "cap"))

REQUESTS = re.compile(
    r"\b(?:get|post|put|patch|delete|fetch|request|axios|\w*[rR]equest|\w*[fF]etch\w*|\w*[pP]ost\w*|Get|Post|Put|Delete)"
    rf"\s*{TYPE_ARGUMENTS}\(\s*[^;{{}}'\"`]{{0,80}}['\"`][^'\"`\s?]{{0,60}}?(/[\w/{{}}$:.-]{{2,80}})"
)
PARAMETER = re.compile(r"\$?\{[^{}]*\}|:\w+|<[^<>]*>")

WRITTEN = (SENDS, RECEIVES, CASES, QUEUED_LATER, MESSAGE_TYPES, SIGNALS, CONNECTS, DECORATED, PUTS, TAKES, REQUESTS)
ANY_WRITTEN = re.compile("|".join(each.pattern for each in WRITTEN))
"""Most texts have none of these, which one look tells."""


def find_messages(text: str, language: str, facts: SymbolFacts) -> list[SymbolReference]:
    """The messages of a text, sent and received; each key once for a line and a side."""
    found: dict[tuple[str, int, str], SymbolReference] = {}
    for each in MessageReader(text, language, facts).read():
        found.setdefault((each.name, each.line, each.role), each)
        if each.receiver:
            by_handler = each._replace(name=f"{HANDLED}{each.receiver}", receiver=each.name)
            found.setdefault((by_handler.name, each.line, each.name), by_handler)
        if len(found) >= MOST_MESSAGES:
            break
    return list(found.values())


class MessageReader:
    """Reads the messages of one text."""

    def __init__(self, text: str, language: str, facts: SymbolFacts) -> None:
        self._text = text
        self._language = language
        self._definitions = facts.definitions
        self._references = facts.references
        self._breaks = _find_line_breaks(text)
        self._around = self._find_surroundings()
        self._left = MOST_LOOKED_AT
        self._written = text if ANY_WRITTEN.search(text) else ""

    def read(self) -> Iterator[SymbolReference]:
        """All messages, one kind after the other."""
        yield from self._read_named()
        yield from self._read_types()
        yield from self._read_signals()
        yield from self._read_queues()
        yield from self._read_requests()
        if self._language == "rust":
            yield from self._read_variants()
        elif self._language == "go":
            yield from self._read_channels()

    def _find_surroundings(self) -> list[int]:
        """The innermost definition that runs around each line, by its place; -1 where there is none."""
        around = [-1] * (len(self._breaks) + 2)
        runs: list[tuple[int, int, int]] = []
        for place, each in enumerate(self._definitions):
            if each.kind in CALLABLE or each.kind in (ROUTE, COMMAND):
                runs.append((each.line, -min(each.end_line, len(around) - 1), place))
        for start, end, place in sorted(runs):
            around[start : 1 - end] = [place] * (1 - end - start)
        return around

    def _line(self, offset: int) -> int:
        return bisect_right(self._breaks, offset) + 1

    def _message(self, offset: int, role: str, key: str, handler: str = "", span: int = -1) -> SymbolReference:
        line = self._line(offset)
        return SymbolReference(f"{MARK}{key}", line, 0, self._around[line], role, handler, span)

    def _receive(self, offset: int, key: str, handler: str | None, begin: int) -> SymbolReference:
        """A message that a handler gets, or that is handled by what begins at an offset."""
        if handler:
            return self._message(offset, RECEIVE, key, handler)
        return self._message(begin, RECEIVE, key, span=self._count_span(begin))

    def _read_named(self) -> Iterator[SymbolReference]:
        """Messages with a quoted name, a constant, or an object that is made for them."""
        for found in SENDS.finditer(self._written):
            made, quoted, constant = found.groups()
            key = made or quoted or _shorten(constant)
            is_path = key.startswith("/")
            is_variant = constant and self._language == "rust"
            if key not in COMMON and not is_path and not is_variant:
                yield self._message(found.end(), SEND, key)
        for found in RECEIVES.finditer(self._written):
            quoted, constant, handler = found.groups()
            key = quoted or _shorten(constant)
            if key not in COMMON:
                yield self._receive(found.end(), key, handler, found.start())
        for found in CASES.finditer(self._written):
            yield self._message(found.start(), RECEIVE, _shorten(found[1]), span=IN_PLACE)

    def _read_types(self) -> Iterator[SymbolReference]:
        """Messages that are told apart by their type: a handler has it as a parameter, or is the type itself."""
        for pattern in (QUEUED_LATER, MESSAGE_TYPES):
            for found in pattern.finditer(self._written):
                yield self._message(found.start(1), SEND, found[1])
        for each in self._references:
            if each.role == TYPE and each.within >= 0 and each.name[:1].isupper() and not each.receiver:
                around = self._definitions[each.within]
                is_head = each.line <= around.line + SIGNATURE_LINES
                if is_head and around.kind in CALLABLE and HANDLES.match(around.name):
                    yield self._handled(each.name, each.within)
        for place, method in enumerate(self._definitions):
            if method.kind == METHOD and method.name in RUNS and method.parent >= 0:
                yield self._handled(self._definitions[method.parent].name, place)

    def _handled(self, key: str, place: int) -> SymbolReference:
        line = self._definitions[place].line
        return SymbolReference(f"{MARK}{key}", line, 0, place, RECEIVE, "", IN_PLACE)

    def _read_signals(self) -> Iterator[SymbolReference]:
        """Messages of an object of their own: `saved.send(…)`, `saved.connect(mail)`."""
        for found in SIGNALS.finditer(self._written):
            if _is_signal(found[1]):
                yield self._message(found.start(), SEND, found[1])
        for found in CONNECTS.finditer(self._written):
            if _is_signal(found[1]):
                yield self._receive(found.end(), found[1], found[2], found.start())
        for found in DECORATED.finditer(self._written):
            yield self._message(found.end(), RECEIVE, found[1], span=IN_PLACE)

    def _read_queues(self) -> Iterator[SymbolReference]:
        for found in PUTS.finditer(self._written):
            yield self._message(found.start(), SEND, _name_queue(found[1]))
        for found in TAKES.finditer(self._written):
            yield self._message(found.start(), RECEIVE, _name_queue(found[1]), span=IN_PLACE)

    def _read_channels(self) -> Iterator[SymbolReference]:
        """What goes through channels of Go, by their names; one that is given to a function is received by that."""
        text = self._text
        if "chan" not in text and "<-" not in text:
            return
        names = {found[1] for found in CHANNELS.finditer(text)} - NO_CHANNELS
        for found in INTO_CHANNEL.finditer(text):
            if found[1].lower() not in NO_CHANNELS and not text.startswith("chan", found.end() - 1):
                yield self._message(found.start(), SEND, _name_queue(found[1]))
        for found in TAKEN_CHANNEL.finditer(text):
            if found[1].lower() not in NO_CHANNELS:
                yield self._message(found.end(), RECEIVE, _name_queue(found[1]), span=IN_PLACE)
        for found in RANGED_CHANNEL.finditer(text):
            if found[1] in names:
                yield self._message(found.end(), RECEIVE, _name_queue(found[1]), span=IN_PLACE)
        for found in GIVEN_CHANNEL.finditer(text) if names else ():
            for given in found[2].split(","):
                name = given.strip().rpartition(".")[2]
                if name in names and found[1] not in ABOUT_CHANNELS:
                    yield self._message(found.start(), RECEIVE, _name_queue(name), found[1])

    def _read_variants(self) -> Iterator[SymbolReference]:
        """Messages that are variants of a type of Rust: sent as an argument, received by an arm of a `match`."""
        text = self._text
        for found in VARIANT.finditer(text):
            key = f"{found[1]}.{found[2]}"
            before = text[max(0, found.start() - LONGEST_SENDING) : found.start()].rstrip()
            if before.endswith("(") and SENDS_BEFORE.search(before):
                yield self._message(found.start(), SEND, key)
                continue
            arrow = self._find_arrow(found.end())
            place = self._around[self._line(found.start())]
            if arrow >= 0 and (place < 0 or self._definitions[place].name not in MAPPING):
                yield self._message(arrow, RECEIVE, key, span=self._count_span(arrow))

    def _read_requests(self) -> Iterator[SymbolReference]:
        """Requests by the path of their URL, whole and without what it may be mounted under, and routes."""
        declared: set[int] = set()
        for place, each in enumerate(self._definitions):
            if each.kind == ROUTE:
                declared.add(each.line)
                path = PARAMETER.sub("{}", each.name.rpartition(" ")[2]).strip("/")
                yield self._handled(f"/{path}", place)
        for found in REQUESTS.finditer(self._written):
            if self._line(found.start(1)) in declared:
                continue
            parts = [part for part in PARAMETER.sub("{}", found[1]).split("/") if part]
            for count in dict.fromkeys((len(parts), 2, 1)):
                key = "/" + "/".join(parts[-count:])
                if count <= len(parts) and len(key) > SHORTEST_KEY:
                    yield self._message(found.start(1), SEND, key)

    def _find_arrow(self, offset: int) -> int:
        """Where the arrow of a pattern is that goes on here; -1 if the expression ends before one."""
        depth = 0
        is_listed = False  # one of several values, of which the next may have the arrow
        text = self._look_ahead(offset, SHORT_PATTERN)
        for at, character in enumerate(text):
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            elif depth <= 0:
                is_listed = is_listed or (depth == 0 and character == ",")
                if text.startswith("=>", at):
                    return -1 if is_listed and depth == 0 else offset + at
                if character in ";?" or (character == "." and text[at + 1 : at + 2] != "."):
                    return -1
        return -1

    def _count_span(self, offset: int) -> int:
        """Over how many more lines the call or block goes that begins here."""
        depth = 0
        lines = 0
        for character in self._look_ahead(offset, MOST_CHARACTERS):
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
                if depth <= 0:
                    break
            elif character == "\n":
                lines += 1
                if depth <= 0 or lines >= MOST_LINES:
                    break
        return lines

    def _look_ahead(self, offset: int, most: int) -> str:
        """The text from an offset on, until the reader has looked at enough."""
        ahead = self._text[offset : offset + min(most, self._left)]
        self._left -= len(ahead)
        return ahead


def _find_line_breaks(text: str) -> list[int]:
    breaks: list[int] = []
    at = text.find("\n")
    while at >= 0:
        breaks.append(at + 1)
        at = text.find("\n", at + 1)
    return breaks


def _shorten(constant: str) -> str:
    """The last two parts of a constant, as modules write it in different ways: `a.messages.actions.sent.type`."""
    parts = [part for part in constant.replace("::", ".").split(".") if part not in ("type", "actions", "this", "self")]
    parts = parts[-2:]
    if len(parts) > 1:
        parts[0] = parts[0].removesuffix("Actions") or parts[0]
    return ".".join(parts)


def _is_signal(name: str) -> bool:
    return name not in NO_SIGNALS and len(name) >= SHORTEST_KEY


def _name_queue(name: str) -> str:
    return f"<-{name.lstrip('_')}"
