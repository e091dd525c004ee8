"""Keywords and small phrases of code that a document may forbid, and the structures that they are."""

from fieldguide.toolsets.architecture.rules.error_structures import (
    BARE_EXCEPT,
    BROAD_CATCH,
    EMPTY_CATCH,
    IGNORED_ERROR,
    RETURN_NULL,
)
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, MentionCheck, TextCheck
from fieldguide.toolsets.architecture.rules.structures import ANY_TYPE, WILDCARD_IMPORT, by_language

LOOSE_EQUALITY = by_language(
    {},
    scripts={
        "kind": "binary_expression",
        "has": {"field": "operator", "regex": r"^[!=]=$"},
        "not": {"has": {"kind": "null"}},
    },
)
FUNCTION_SCOPED = by_language(
    {
        "csharp": {"kind": "implicit_type"},
        "kotlin": {"kind": "property_declaration", "regex": r"^(?:\w+\s+)*var\b"},
        "java": {"kind": "local_variable_declaration", "regex": r"^(?:final\s+)?var\b"},
    },
    scripts={"kind": "variable_declaration"},
)
GLOBAL_WORD = by_language({"python": {"kind": "global_statement"}, "php": {"kind": "global_declaration"}})
ASSERTION = by_language({"python": {"kind": "assert_statement"}, "java": {"kind": "assert_statement"}})
DEFAULT_EXPORT = by_language({}, scripts={"kind": "export_statement", "regex": r"^export\s+default\b"})
EMPTY_INTERFACE = by_language({"go": {"kind": "interface_type", "regex": r"^interface\s*\{\s*\}$"}})
INIT_FUNCTION = by_language({"go": {"kind": "function_declaration", "has": {"field": "name", "regex": "^init$"}}})
UNSAFE = by_language({"rust": {"kind": "unsafe_block"}, "csharp": {"kind": "unsafe_statement"}})
NOT_NULL = by_language(
    {
        "typescript": {"kind": "non_null_expression"},
        "tsx": {"kind": "non_null_expression"},
        "kotlin": {"kind": "postfix_expression", "regex": r"!!$"},
    }
)
AS_ANY = by_language(
    {
        "typescript": {"kind": "as_expression", "regex": r"\bas\s+any$"},
        "tsx": {"kind": "as_expression", "regex": r"\bas\s+any$"},
    }
)
TYPE_ASSERTION = by_language(
    {
        "typescript": {"kind": "as_expression", "not": {"regex": r"\bas\s+const$"}},
        "tsx": {"kind": "as_expression", "not": {"regex": r"\bas\s+const$"}},
    }
)
ENUM = by_language({"typescript": {"kind": "enum_declaration"}, "tsx": {"kind": "enum_declaration"}})
NAMESPACE = by_language({"typescript": {"kind": "internal_module"}, "tsx": {"kind": "internal_module"}})
LAMBDA = by_language({"python": {"kind": "lambda"}})
INSTANCE_OF = by_language(
    {"java": {"kind": "instanceof_expression"}},
    scripts={"kind": "binary_expression", "has": {"field": "operator", "regex": "^instanceof$"}},
)
ASYNC_VOID = by_language(
    {"csharp": {"kind": "method_declaration", "regex": r"^(?:\[[^\]]*\]\s*)*(?:\w+\s+)*async\s+void\b"}}
)
SWITCH = by_language(
    {
        "java": {"kind": "switch_expression"},
        "go": {"kind": "expression_switch_statement"},
        "csharp": {"kind": "switch_statement"},
    },
    scripts={"kind": "switch_statement"},
)
FOR_IN = by_language({}, scripts={"kind": "for_in_statement", "regex": r"^for\s*\([^)]*\sin\s"})
NAKED_GO = by_language({"go": {"kind": "go_statement"}})

KEYWORDS: dict[str, Check] = {
    "except:": BARE_EXCEPT,
    "except": BARE_EXCEPT,
    "bare except": BARE_EXCEPT,
    "bare except:": BARE_EXCEPT,
    "except: pass": EMPTY_CATCH,
    "except Exception: pass": EMPTY_CATCH,
    "except:pass": EMPTY_CATCH,
    "catch {}": EMPTY_CATCH,
    "catch (e) {}": EMPTY_CATCH,
    "catch (Exception e) {}": EMPTY_CATCH,
    "catch (e) { }": EMPTY_CATCH,
    "catch (Exception e) { }": EMPTY_CATCH,
    "pass": EMPTY_CATCH,
    "except Exception": BROAD_CATCH,
    "except Exception:": BROAD_CATCH,
    "except BaseException": BROAD_CATCH,
    "catch (Exception e)": BROAD_CATCH,
    "catch (Exception)": BROAD_CATCH,
    "catch (Throwable t)": BROAD_CATCH,
    "except Exception as e": BROAD_CATCH,
    "catch Exception": BROAD_CATCH,
    "catch (Exception ex)": BROAD_CATCH,
    "catch (Throwable)": BROAD_CATCH,
    "import *": WILDCARD_IMPORT,
    "from x import *": WILDCARD_IMPORT,
    "from module import *": WILDCARD_IMPORT,
    "from ... import *": WILDCARD_IMPORT,
    "from foo import *": WILDCARD_IMPORT,
    "from m import *": WILDCARD_IMPORT,
    "_ =": IGNORED_ERROR,
    "_": IGNORED_ERROR,
    "_ = err": IGNORED_ERROR,
    ", _ :=": IGNORED_ERROR,
    ", _ =": IGNORED_ERROR,
    "_, _": IGNORED_ERROR,
    "x, _ := f()": IGNORED_ERROR,
    "_ = f()": IGNORED_ERROR,
    "_ = err;": IGNORED_ERROR,
    "any": ANY_TYPE,
    "Any": ANY_TYPE,
    "as any": AS_ANY,
    ": any": ANY_TYPE,
    "as": TYPE_ASSERTION,
    "interface{}": EMPTY_INTERFACE,
    "interface {}": EMPTY_INTERFACE,
    "init()": INIT_FUNCTION,
    "init": INIT_FUNCTION,
    "==": LOOSE_EQUALITY,
    "!=": LOOSE_EQUALITY,
    "var": FUNCTION_SCOPED,
    "global": GLOBAL_WORD,
    "assert": ASSERTION,
    "export default": DEFAULT_EXPORT,
    "default export": DEFAULT_EXPORT,
    "unsafe": UNSAFE,
    "!": NOT_NULL,
    "!!": NOT_NULL,
    "enum": ENUM,
    "namespace": NAMESPACE,
    "lambda": LAMBDA,
    "instanceof": INSTANCE_OF,
    "async void": ASYNC_VOID,
    "switch": SWITCH,
    "for...in": FOR_IN,
    "for in": FOR_IN,
    "for..in": FOR_IN,
    "go": NAKED_GO,
    "@ts-ignore": TextCheck("@ts-ignore", ("comments",)),
    "return null": RETURN_NULL,
    "return None": RETURN_NULL,
    "return nil": RETURN_NULL,
    "return nil, nil": RETURN_NULL,
    "return undefined": RETURN_NULL,
    "staticmethod": TextCheck(r"@staticmethod\b"),
    "classmethod": TextCheck(r"@classmethod\b"),
    "synchronized": MentionCheck(("synchronized",)),
    "volatile": MentionCheck(("volatile",)),
    "goto": MentionCheck(("goto",)),
    "lateinit": MentionCheck(("lateinit",)),
    "unwrap": CallCheck(("*.unwrap",)),
    "innerHTML": MentionCheck(("innerHTML",)),
    "*": WILDCARD_IMPORT,
    "dynamic": ANY_TYPE,
}
