"""What is particular to Java, Kotlin and C#: the names of methods that collections have."""

from fieldguide.symbols.resolving.packaged.way import PackagedWay
from fieldguide.symbols.resolving.rules import Rules

JVM = Rules(
    element_members=("iterator", "stream"),
    elements=frozenset((
        "get", "getFirst", "getLast", "next", "poll", "pop", "peek", "remove", "orElse", "orElseThrow", "orElseGet",
        "getOrDefault", "computeIfAbsent", "put", "putIfAbsent", "take", "element", "first", "last", "join", "block",
        "getIfAvailable", "getObject", "getIfUnique", "getBean", "result", "call",
    )),
    wholes=frozenset((
        "stream", "iterator", "values", "filter", "sorted", "distinct", "limit", "skip", "findFirst", "findAny",
        "subList", "toList", "reversed", "orderedStream", "parallelStream", "listIterator", "or", "peek", "min", "max",
    )),
    own_way=PackagedWay,
)  # fmt: skip
TABLES = {"java": JVM, "kotlin": JVM}
