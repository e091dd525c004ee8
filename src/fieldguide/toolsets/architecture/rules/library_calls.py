"""Calls into libraries that rules speak of without naming them: the clock, the shell, weak hashes …"""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, EveryCheck, SyntaxCheck, TextCheck
from fieldguide.toolsets.architecture.rules.structures import by_language, kinds

NAIVE_TIME = CallCheck(
    (
        "datetime.now",
        "datetime.datetime.now",
        "datetime.utcnow",
        "datetime.datetime.utcnow",
        "datetime.today",
        "datetime.datetime.today",
        "date.today",
        "time.time",
        "new Date",
        "Date.now",
        "time.Now",
        "LocalDateTime.now",
        "LocalDate.now",
        "Instant.now",
        "System.currentTimeMillis",
        "DateTime.Now",
    )
)
BLOCKING_IN_ASYNC = by_language(
    {
        "python": {
            "kind": "call",
            "regex": r"^(?:time\.sleep|requests\.\w+|urllib\.request\.\w+|subprocess\.(?:run|call|check_output))\(",
            "inside": {"kind": "function_definition", "regex": r"^async\b", "stopBy": "end"},
        }
    },
    scripts={"kind": "call_expression", "regex": r"^\w+\.\w+Sync\("},
)


def called_in_async(names: tuple[str, ...]) -> SyntaxCheck:
    """Calls of functions, or into modules, right inside of an asynchronous function."""
    called = {"field": "function", "regex": rf"^(?:{'|'.join(map(re.escape, names))})(?:\.|$)"}
    python = {"kind": "function_definition"}
    scripts = kinds("function_declaration", "arrow_function", "method_definition", "function_expression")
    return by_language(
        {
            "python": {
                "kind": "call",
                "has": called,
                "inside": {**python, "regex": r"^async\b", "stopBy": python},
            }
        },
        scripts={
            "kind": "call_expression",
            "has": called,
            "inside": {**scripts, "regex": r"^(?:\w+\s+)*async\b", "stopBy": scripts},
        },
    )


SLEEP = CallCheck(("sleep", "time.sleep", "time.Sleep", "Thread.sleep", "TimeUnit.*.sleep", "Thread.Sleep", "usleep"))
EVALUATED = CallCheck(("eval", "exec", "new Function", "Function", "setTimeout.call"))
SHELL = EveryCheck(
    (
        TextCheck(r"\bshell\s*=\s*True\b"),
        CallCheck(("os.system", "os.popen", "child_process.exec", "child_process.execSync")),
    )
)
INSECURE_TLS = TextCheck(r"\bverify\s*=\s*False\b|InsecureSkipVerify:\s*true|rejectUnauthorized:\s*false")
WEAK_HASH = CallCheck(("hashlib.md5", "hashlib.sha1", "md5.New", "md5.Sum", "sha1.New", "sha1.Sum", "*.md5", "*.sha1"))
TODO = TextCheck(r"\b(?:TODO|FIXME|XXX)\b", ("comments",))
EXITING = CallCheck(("sys.exit", "exit", "quit", "os._exit", "os.Exit", "log.Fatal*", "process.exit", "System.exit"))
