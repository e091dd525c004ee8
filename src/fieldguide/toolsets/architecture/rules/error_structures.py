"""How errors are handled badly: caught and dropped, caught too broadly, thrown without a type, passed on bare."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, SyntaxCheck
from fieldguide.toolsets.architecture.rules.structures import Node, by_language


def _only(*allowed: Node) -> Node:
    """A block that has nothing but braces and some kinds of nodes."""
    return {"not": {"has": {"not": {"any": [{"regex": r"^[{}]$"}, *allowed]}}}}


COMMENTS = [{"kind": "comment"}]
JAVA_COMMENTS = [{"kind": "line_comment"}, {"kind": "block_comment"}]
BARE_EXCEPT = by_language(
    {
        "python": {"kind": "except_clause", "regex": r"^except\s*:"},
        "ruby": {"kind": "rescue", "regex": r"^rescue\s*(?:$|\n|=>)"},
    }
)
BROAD_CATCH = by_language(
    {
        "python": {"kind": "except_clause", "regex": r"^except\s*(?::|\(?\s*(?:Exception|BaseException)\b)"},
        "java": {
            "kind": "catch_clause",
            "has": {"kind": "catch_formal_parameter", "regex": r"^(?:final\s+)?(?:Exception|Throwable)\b"},
        },
        "csharp": {"kind": "catch_clause", "regex": r"^catch\s*(?:\(\s*(?:System\.)?Exception\b|\{)"},
        "kotlin": {"kind": "catch_block", "regex": r"^catch\s*\(\s*\w+\s*:\s*(?:Exception|Throwable)\b"},
        "php": {"kind": "catch_clause", "regex": r"^catch\s*\(\s*\\?(?:Exception|Throwable)\b"},
    }
)
EMPTY_CATCH = by_language(
    {
        "python": {
            "kind": "except_clause",
            "has": {
                "kind": "block",
                **_only(
                    {"kind": "pass_statement"},
                    {"kind": "continue_statement"},
                    {"kind": "comment"},
                    {"kind": "expression_statement", "regex": r"^(?:\.\.\.|\"|')"},
                ),
            },
        },
        "java": {"kind": "catch_clause", "has": {"field": "body", **_only(*JAVA_COMMENTS)}},
        "csharp": {"kind": "catch_clause", "has": {"field": "body", **_only(*COMMENTS)}},
        "php": {"kind": "catch_clause", "has": {"field": "body", **_only(*COMMENTS)}},
        "kotlin": {"kind": "catch_block", "not": {"has": {"kind": "statements"}}},
        "ruby": {"kind": "rescue", "not": {"has": {"kind": "then"}}},
        "go": {
            "any": [
                {
                    "kind": "if_statement",
                    "regex": r"^if\s+(?:[^{;]*;\s*)?\w*[eE]rr\w*\s*!=\s*nil\s*\{\s*(?://[^\n]*\s*)*\}",
                },
                {"kind": "assignment_statement", "regex": r"^(?:[\w.]+\s*,\s*)*_\s*=\s*[\w.]*\w\("},
                {"kind": "short_var_declaration", "regex": r"^(?:\w+\s*,\s*)+_\s*:=\s*[\w.]*\w\("},
            ]
        },
    },
    scripts={
        "any": [
            {"kind": "catch_clause", "has": {"field": "body", **_only(*COMMENTS)}},
            {
                "kind": "call_expression",
                "regex": r"\.catch\(\s*(?:async\s*)?(?:\(\s*\w*\s*\)|\w+|function\s*\(\s*\w*\s*\))\s*(?:=>)?\s*\{\s*"
                r"\}\s*\)$",
            },
        ]
    },
)


def swallowed(name: str) -> SyntaxCheck:
    """An error of one name that is caught and dropped."""
    named = rf"^(?:\w+\s*)[^:{{]*\b{re.escape(name)}\b"
    return SyntaxCheck(
        {
            language: {"rule": {"all": [given["rule"], {"regex": named}]}}
            for language, given in EMPTY_CATCH.by_language.items()
        }
    )


IGNORED_ERROR = by_language({"go": {"any": EMPTY_CATCH.by_language["go"]["rule"]["any"][1:]}})
RETURN_NULL = by_language(
    {
        "python": {"kind": "return_statement", "regex": r"^return\s+None$"},
        "java": {"kind": "return_statement", "regex": r"^return\s+null\s*;"},
        "csharp": {"kind": "return_statement", "regex": r"^return\s+null\s*;"},
        "kotlin": {"kind": "jump_expression", "regex": r"^return\s+null$"},
        "php": {"kind": "return_statement", "regex": r"^return\s+null\s*;"},
        "go": {"kind": "return_statement", "regex": r"^return\s+nil\s*,\s*nil$"},
        "ruby": {"kind": "return", "regex": r"^return\s+nil$"},
    },
    scripts={"kind": "return_statement", "regex": r"^return\s+(?:null|undefined)\s*;?$"},
)
THROWN_GENERIC = by_language(
    {
        "python": {"kind": "raise_statement", "regex": r"^raise\s+(?:Exception|BaseException)\b"},
        "java": {
            "kind": "throw_statement",
            "regex": r"^throw\s+new\s+(?:Exception|RuntimeException|Throwable|Error)\b",
        },
        "csharp": {
            "kind": "throw_statement",
            "regex": r"^throw\s+new\s+(?:System\.)?(?:Exception|ApplicationException)\b",
        },
        "php": {"kind": "throw_expression", "regex": r"^throw\s+new\s+\\?(?:Exception|RuntimeException)\b"},
        "kotlin": {"kind": "jump_expression", "regex": r"^throw\s+(?:Exception|RuntimeException|Throwable)\b"},
    },
    scripts={"kind": "throw_statement", "regex": r"^throw\s+(?:new\s+Error\b|[\"'`])"},
)
PANIC = CallCheck(("panic", "log.Panic*", "panic!", "*.unwrap", "*.expect", "unimplemented!", "todo!"))
FORMATTED_ERROR: Node = {
    "kind": "call_expression",
    "regex": r"(?s)^fmt\.Errorf\(\s*\"[^\"]*\".*\berr\b",
    "not": {"regex": r"%w"},
}
LOST_ERROR = by_language({"go": FORMATTED_ERROR})
UNWRAPPED_ERROR = by_language(
    {
        "go": {
            "any": [
                FORMATTED_ERROR,
                {"kind": "return_statement", "regex": r"^return\s+(?:[^,\n]+,\s*)*err$"},
            ]
        }
    }
)
COMPARED_ERROR = by_language(
    {
        "go": {
            "kind": "binary_expression",
            "regex": r"^\w*[eE]rr\s*[!=]=\s*(?:\w+\.)?[Ee]\w+$",
            "not": {"has": {"kind": "nil"}},
        }
    }
)
NAKED_RETURN = by_language(
    {
        "go": {
            "kind": "return_statement",
            "regex": "^return$",
            "inside": {
                "any": [
                    {"kind": kind, "has": {"field": "result", "kind": "parameter_list"}}
                    for kind in ("function_declaration", "method_declaration")
                ],
                "stopBy": {
                    "any": [{"kind": "func_literal"}, {"kind": "function_declaration"}, {"kind": "method_declaration"}]
                },
            },
        }
    }
)
