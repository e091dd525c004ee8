"""How a structure that programmers have a name for is asked for, and those that fit nowhere else."""

from collections.abc import Mapping
from typing import Any

from fieldguide.toolsets.architecture.rules.pattern import CallCheck, SyntaxCheck, TextCheck

Node = dict[str, Any]
SCRIPTS = ("javascript", "typescript", "tsx")
MADE = (
    r"(?:Service|Repository|Repo|Client|Dao|DAO|Gateway|Store|Database|Db|DB|Connection|Mailer|Sender|Notifier"
    r"|Publisher|Adapter|Cache|Queue|Api|API|Engine|Session|Storage)"
)
FIELD_INJECTION = r"@(?:Autowired|Inject|Resource)\b"


def kinds(*names: str) -> Node:
    """Any of some kinds."""
    return {"any": [{"kind": name} for name in names]}


def by_language(rules: Mapping[str, Node], *, scripts: Node | None = None) -> SyntaxCheck:
    """A check of a rule for each language; one for all the three scripts may be given apart."""
    found = {name: {"rule": rule} for name, rule in rules.items()}
    if scripts:
        found |= {name: {"rule": scripts} for name in SCRIPTS}
    return SyntaxCheck(found)


WILDCARD_IMPORT = by_language(
    {
        "python": {"kind": "wildcard_import"},
        "java": {"kind": "import_declaration", "has": {"kind": "asterisk"}},
        "kotlin": {"kind": "import_header", "regex": r"\.\*"},
        "rust": {"kind": "use_wildcard"},
        "go": {"kind": "import_spec", "has": {"kind": "dot"}},
    }
)
MUTABLE_DEFAULT = by_language(
    {
        "python": {
            **kinds("default_parameter", "typed_default_parameter"),
            "has": {
                "field": "value",
                "any": [
                    *kinds("list", "dictionary", "set")["any"],
                    {"kind": "call", "regex": r"^(?:list|dict|set|defaultdict|deque)\("},
                ],
            },
        }
    }
)
FIELD_INJECTED = by_language(
    {
        "java": {"kind": "field_declaration", "has": {"kind": "modifiers", "regex": FIELD_INJECTION}},
        "kotlin": {"kind": "property_declaration", "has": {"kind": "modifiers", "regex": FIELD_INJECTION}},
        "typescript": {"kind": "public_field_definition", "has": {"kind": "decorator", "regex": r"^@Inject"}},
        "tsx": {"kind": "public_field_definition", "has": {"kind": "decorator", "regex": r"^@Inject"}},
        "csharp": {"kind": "property_declaration", "has": {"kind": "attribute_list", "regex": r"\[Inject"}},
    }
)
ANY_TYPE = by_language(
    {
        "typescript": {"kind": "predefined_type", "regex": "^any$"},
        "tsx": {"kind": "predefined_type", "regex": "^any$"},
        "go": {
            "any": [
                {"kind": "interface_type", "regex": r"^interface\s*\{\s*\}$"},
                {"kind": "type_identifier", "regex": "^any$", "not": {"inside": {"kind": "type_constraint"}}},
            ]
        },
        "python": {"kind": "identifier", "regex": "^Any$", "inside": {"kind": "type", "stopBy": "end"}},
        "csharp": {"kind": "implicit_type", "regex": "^dynamic$"},
    }
)
GLOBAL_STATE = by_language(
    {
        "python": {
            "any": [
                {"kind": "global_statement"},
                {
                    "all": [
                        {
                            "kind": "assignment",
                            "inside": {"kind": "expression_statement", "inside": {"kind": "module"}},
                        },
                        {"not": {"regex": r"^(?:[A-Z0-9_]+|__\w+__)\b"}},
                        {
                            "has": {
                                "field": "right",
                                "any": [
                                    *kinds(
                                        "list", "dictionary", "set", "list_comprehension", "dictionary_comprehension"
                                    )["any"],
                                    {
                                        "kind": "call",
                                        "regex": r"^(?:collections\.)?(?:list|dict|set|defaultdict|deque|OrderedDict"
                                        r"|Counter)\(",
                                    },
                                ],
                            }
                        },
                    ]
                },
            ]
        },
        "go": {
            "kind": "var_spec",
            "not": {
                "regex": r"^(?:_|[eE]rr[A-Z]\w*)\b|=\s*(?:errors\.New|regexp\.MustCompile|fmt\.Errorf|template\.Must)\b"
            },
            "inside": {"kind": "source_file", "stopBy": kinds("block", "source_file")},
        },
        "java": {
            "kind": "field_declaration",
            "has": {"kind": "modifiers", "regex": r"\bstatic\b", "not": {"regex": r"\bfinal\b"}},
        },
        "csharp": {"kind": "field_declaration", "regex": r"\bstatic\b", "not": {"regex": r"\b(?:readonly|const)\b"}},
    },
    scripts={
        "any": [
            {"kind": "lexical_declaration", "regex": r"^let\b", "inside": kinds("program", "export_statement")},
            {"kind": "variable_declaration", "inside": kinds("program", "export_statement")},
        ]
    },
)
CONSOLE = CallCheck(
    (
        "print",
        "pprint",
        "pprint.pprint",
        "console.*",
        "fmt.Print*",
        "System.out.*",
        "System.err.*",
        "*.printStackTrace",
        "Console.Write*",
        "println",
        "println!",
        "print!",
        "eprintln!",
        "dbg!",
        "puts",
        "echo",
        "var_dump",
        "print_r",
    )
)
SECRET = TextCheck(
    r"(?i)(?:^|[^\w])[\w.-]*(?:password|passwd|pwd|secret|(?:api|access|secret|private)_?key|(?:auth_?|access_?)?token"
    r"|credentials?|connection_?string)[\"'`]?\]?\s*(?::\s*(?:\w+\s*)?)?(?::=|=>|=|:)\s*[rbf@$]?"
    r"[\"'`][^\"'`\s{}$<>]*[A-Za-z0-9][^\"'`\s{}$<>]{2,}[\"'`]",
    ("code", "strings"),
)
HARD_CODED_URL = TextCheck(r"https?://[\w.-]+", ("strings",))
MADE_DEPENDENCY = by_language(
    {
        "python": {
            "kind": "call",
            "has": {"field": "function", "regex": rf"^(?:\w+\.)*[A-Z]\w*{MADE}$"},
            "inside": {"kind": "class_definition", "stopBy": "end"},
        },
        "java": {
            "kind": "object_creation_expression",
            "has": {"field": "type", "regex": rf"{MADE}(?:Impl)?(?:<.*>)?$"},
            "inside": {"kind": "class_declaration", "stopBy": "end"},
        },
        "csharp": {
            "kind": "object_creation_expression",
            "has": {"field": "type", "regex": rf"{MADE}(?:<.*>)?$"},
            "inside": {"kind": "class_declaration", "stopBy": "end"},
        },
        "go": {
            "any": [
                {"kind": "composite_literal", "has": {"field": "type", "regex": rf"[A-Z]\w*{MADE}$"}},
                {"kind": "call_expression", "has": {"field": "function", "regex": rf"^(?:\w+\.)?New\w*{MADE}$"}},
            ],
            "inside": {"kind": "method_declaration", "stopBy": "end"},
        },
        "kotlin": {
            "kind": "call_expression",
            "regex": rf"^[A-Z]\w*{MADE}\(",
            "inside": {"kind": "class_body", "stopBy": "end"},
        },
    },
    scripts={
        "kind": "new_expression",
        "has": {"field": "constructor", "regex": rf"{MADE}$"},
        "inside": {"kind": "class_body", "stopBy": "end"},
    },
)
OPEN_WITHOUT_WITH = by_language(
    {
        "python": {
            "kind": "call",
            "regex": r"^open\(",
            "not": {"inside": {"kind": "with_item", "stopBy": "end"}},
            "inside": {
                "stopBy": "end",
                "any": [{"kind": "assignment"}, {"kind": "attribute"}, {"kind": "argument_list"}],
            },
        }
    }
)
PUBLIC_FIELD = by_language(
    {
        "java": {
            "kind": "field_declaration",
            "has": {"kind": "modifiers", "regex": r"\bpublic\b", "not": {"regex": r"\bstatic\b"}},
        },
        "csharp": {
            "kind": "field_declaration",
            "regex": r"^public\b",
            "not": {"regex": r"\b(?:const|static|readonly)\b"},
        },
    }
)
NO_DOCSTRING = by_language(
    {
        "python": {
            "any": [
                {
                    "all": [
                        {"kind": kind},
                        {"has": {"field": "name", "regex": "^[^_]"}},
                        {
                            "has": {
                                "field": "body",
                                "not": {
                                    "has": {"nthChild": 1, "kind": "expression_statement", "regex": r"^[rbfu]*[\"']"}
                                },
                            }
                        },
                    ]
                }
                for kind in ("function_definition", "class_definition")
            ]
        }
    }
)
NO_TYPE_HINT = by_language(
    {
        "python": {
            "kind": "function_definition",
            "has": {"field": "name", "regex": "^[^_]"},
            "not": {
                "any": [
                    {"has": {"field": "return_type", "kind": "type"}},
                    {"inside": {"kind": "function_definition", "stopBy": "end"}},
                ]
            },
        }
    }
)
RELATIVE_IMPORT = by_language(
    {"python": {"kind": "relative_import"}},
    scripts={"kind": "import_statement", "has": {"field": "source", "regex": r"^.\.\./"}},
)
CLASS_COMPONENT = by_language(
    {},
    scripts={
        "kind": "class_heritage",
        "regex": r"^extends\s+(?:\w+\.)?(?:Pure)?Component\b",
        "inside": kinds("class_declaration", "class"),
    },
)
NESTED_TERNARY = by_language(
    {"python": {"kind": "conditional_expression", "has": {"kind": "conditional_expression"}}},
    scripts={"kind": "ternary_expression", "has": {"kind": "ternary_expression", "stopBy": "end"}},
)
