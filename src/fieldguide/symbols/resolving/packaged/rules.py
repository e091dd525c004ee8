"""What is particular to Java, Kotlin and C#: the names of methods that collections have."""

from dataclasses import replace

from fieldguide.symbols.resolving.packaged.csharp import CSharpWay
from fieldguide.symbols.resolving.packaged.kotlin import KotlinWay
from fieldguide.symbols.resolving.packaged.way import PackagedWay
from fieldguide.symbols.resolving.rules import Rules

JAVA = Rules(
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
KOTLIN = replace(
    JAVA,
    elements=JAVA.elements | {
        "find", "firstOrNull", "lastOrNull", "single", "singleOrNull", "getOrNull", "getValue", "getOrPut", "await",
        "elementAt", "random", "maxByOrNull", "minByOrNull", "removeAt", "removeFirst", "component1", "value",
    },
    wholes=JAVA.wholes | {
        "filterNotNull", "sortedBy", "sortedByDescending", "onEach", "toSet", "toMutableList", "take", "drop",
        "takeLast", "asSequence", "asReversed", "filterNot", "shuffled", "orEmpty", "plus", "minus", "asFlow",
    },
    own_way=KotlinWay,
)  # fmt: skip
CSHARP = Rules(
    element_members=("GetEnumerator",),
    elements=frozenset((
        "First", "FirstOrDefault", "Last", "LastOrDefault", "Single", "SingleOrDefault", "Find", "ElementAt", "Pop",
        "Peek", "Dequeue", "Result", "GetResult", "GetAwaiter", "Value", "Min", "Max", "Current",
    )),
    wholes=frozenset((
        "Where", "OrderBy", "OrderByDescending", "ThenBy", "ToList", "ToArray", "ToHashSet", "AsQueryable", "Skip",
        "Take", "Distinct", "Reverse", "Concat", "Union", "Values", "AsEnumerable", "AsNoTracking", "Include",
        "ConfigureAwait", "FindAll", "Except",
    )),
    own_way=CSharpWay,
)  # fmt: skip
TABLES = {"java": JAVA, "kotlin": KOTLIN, "csharp": CSHARP}
