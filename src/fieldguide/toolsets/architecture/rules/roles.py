"""The roles and layers that rules speak of: controllers, the domain …, and how code shows that it is one."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import Place

LAYERS = {
    "controller": "controllers?|(?:http |request |api )?endpoints?",
    "service": "services?|application services?",
    "repository": "repositor(?:y|ies)|data access layer|persistence layer|data layer|daos?|data access objects?"
    "|repository classes",
    "handler": "handlers?|request handlers?|route handlers?",
    "view": "views?|templates?|presentation layer|ui(?: layer| code)?",
    "route": "routes?|routers?",
    "domain": "domain(?: layer| model| models| code| logic| objects?| package| entit(?:y|ies)| services?)?"
    "|core(?: layer)?|business layer",
    "entity": "entit(?:y|ies)|aggregates?(?: roots?)?|value objects?",
    "application": "application layer|use[- ]case layer",
    "infrastructure": "infrastructure(?: layer| code)?|adapters?",
    "usecase": "use[- ]cases?|interactors?",
    "presenter": "presenters?",
    "middleware": "middlewares?",
    "resolver": "resolvers?",
    "component": "(?:react |ui )?components?",
    "gateway": "gateways?",
    "client": "clients?",
    "factory": "factor(?:y|ies)",
    "test": "(?:unit |integration )?tests?(?: code| files?)?|test suites?",
    "migration": "migrations?",
    "script": "scripts?|cli(?: code)?|command[- ]line tools?",
    "model": "models?",
    "validator": "validators?",
    "serializer": "serializers?",
    "worker": "workers?|jobs?",
    "store": "stores?|reducers?",
    "mapper": "mappers?",
    "config": "config(?:uration)?(?: module| files?| layer)?|settings(?: module)?",
    "main": "main(?: function| package)?|composition root|entry ?points?|bootstrap(?: code)?",
    "util": "utilit(?:y|ies)|utils",
}
OTHER_NAMES = {
    "repository": ("repo", "dao"),
    "usecase": ("use_case", "use_cases", "interactor"),
    "test": ("spec",),
    "controller": ("api", "endpoint", "resource"),
    "infrastructure": ("infra", "adapter"),
    "service": ("application",),
    "domain": ("entity", "entities", "core"),
    "entity": ("domain",),
    "application": ("usecase", "usecases", "use_case", "use_cases"),
    "view": ("ui", "presentation", "template"),
    "script": ("cli", "command"),
    "main": ("bootstrap", "cmd"),
}
CLASS_NAMES = {
    "domain": ("*Entity", "*Aggregate"),
    "entity": ("*Entity",),
    "application": ("*UseCase", "*Interactor"),
    "infrastructure": ("*Adapter",),
    "test": ("Test*", "*Test", "*Tests", "*Spec"),
    "repository": ("*Repository", "*Repo", "*Dao", "*DAO"),
    "usecase": ("*UseCase", "*Interactor"),
    "controller": ("*Controller", "*Resource", "*Endpoint"),
    "view": ("*View", "*Page"),
    "main": (),
    "util": (),
    "script": (),
}
EVERYWHERE = re.compile(
    r"^(?:an? |the |our |your |any |all |this |new |every |each )*(?:code|production(?: code)?|application code"
    r"|business code|codebase|code ?base|project|repo|you|we|developers?|"
    r"engineers?|teams?|functions?|methods?|class(?:es)?|modules?|files?|packages?|everyone|nobody|everywhere"
    r"|anywhere|library code|librar(?:y|ies)|source|"
    r"python|typescript|javascript|java|go|golang|public api|it|they|quer(?:y|ies)|sql|statements?|sql queries"
    r"|(?:public|exported|private|async|new) (?:functions?|methods?|class(?:es)?|apis?|code)|implementations?"
    r"|callers?|(?:python|typescript|java|go|javascript) (?:code|files?|modules?))$",
    re.IGNORECASE,
)
ROLE = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in LAYERS.items()), re.IGNORECASE)
CONSTRUCTORS = re.compile(r"\bconstructors?\b|`__init__`", re.IGNORECASE)


class Scope(NamedTuple):
    """Where a rule holds; neither place given is everywhere."""

    inside: Place | None = None
    outside: Place | None = None


def role_of(words: str) -> Place | None:
    """The places that a noun such as `controllers` or `the domain layer` means; None when it means none we know."""
    if CONSTRUCTORS.search(words):
        return Place(functions=("__init__", "constructor"))
    match = ROLE.search(words)
    if match is None or match.lastgroup is None:
        return None
    return place_of(match.lastgroup)


def place_of(layer: str) -> Place:
    """How code shows that it belongs to a layer: by the names of its classes and functions, and of its folders."""
    title = layer.capitalize()
    classes = CLASS_NAMES.get(layer, (f"*{title}", f"*{title}s"))
    plural = f"{layer[:-1]}ies" if layer.endswith("y") else f"{layer}s"
    functions = (
        ("test_*", "Test*")
        if layer == "test"
        else (f"*_{layer}",)
        if layer in ("controller", "handler", "view")
        else ()
    )
    return Place(classes, functions, (layer, plural, *OTHER_NAMES.get(layer, ())))


def is_everywhere(words: str) -> bool:
    """Whether a noun means all code."""
    return not words.strip() or EVERYWHERE.match(words.strip(" ,.")) is not None
