"""SQL in code: where it is written, how it is put together, and what else reaches for a database."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, ImportCheck, SyntaxCheck
from fieldguide.toolsets.architecture.rules.structures import Node, by_language, kinds

STATEMENTS = (
    r"SELECT\b.*\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|CREATE\s+TABLE\b"
    r"|DROP\s+TABLE\b|ALTER\s+TABLE\b|REPLACE\s+INTO\b|WITH\s+\w+\s+AS\b"
)
LOWER = re.sub(r"[A-Z]{2,}", lambda word: word.group().lower(), STATEMENTS)
"""`Delete from the archive` is English: in SQL a keyword is written in capitals or without any."""
SQL = rf"(?s)^[A-Za-z@$]*[\"'`]+\s*(?:\(\s*)?(?:{STATEMENTS}|{LOWER})"
AFTER_STAR = r"(?:\s+from\b|\s*,|\s*$)"  # a message may speak of `SELECT *`, too
SQL_STRING = by_language(
    {
        "python": {"kind": "string", "regex": SQL, "not": {"inside": {"kind": "expression_statement"}}},
        "go": {**kinds("interpreted_string_literal", "raw_string_literal"), "regex": SQL},
        "java": {"kind": "string_literal", "regex": SQL},
        "csharp": {
            **kinds(
                "string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"
            ),
            "regex": SQL,
        },
        "kotlin": {"kind": "string_literal", "regex": SQL},
        "php": {**kinds("string", "encapsed_string"), "regex": SQL},
        "ruby": {"kind": "string", "regex": SQL},
        "rust": {**kinds("string_literal", "raw_string_literal"), "regex": SQL},
    },
    scripts={**kinds("string", "template_string"), "regex": SQL},
)


def _joined(kind: str, strings: list[str], values: list[str]) -> Node:
    """An operator between a string of SQL and a value."""
    return {"all": [{"kind": kind}, {"has": {**kinds(*strings), "regex": SQL}}, {"has": kinds(*values)}]}


def _sql_concatenation() -> SyntaxCheck:
    """SQL that is put together from pieces: with an operator, a format, or holes in the string."""

    python = {
        "any": [
            {"kind": "string", "regex": SQL, "has": {"kind": "interpolation"}},
            _joined(
                "binary_operator",
                ["string"],
                ["identifier", "call", "attribute", "subscript", "tuple", "parenthesized_expression", "dictionary"],
            ),
            {"kind": "call", "has": {"field": "function", "kind": "attribute", "regex": SQL + r".*\.format$"}},
        ]
    }
    values = [
        "identifier",
        "call_expression",
        "member_expression",
        "subscript_expression",
        "selector_expression",
        "index_expression",
    ]
    scripts = {
        "any": [
            {
                "kind": "template_string",
                "regex": SQL,
                "has": {"kind": "template_substitution"},
                "not": {"inside": {"kind": "call_expression"}},
            },
            _joined("binary_expression", ["string", "template_string"], values[:4]),
        ]
    }
    go = {
        "any": [
            _joined(
                "binary_expression",
                ["interpreted_string_literal", "raw_string_literal"],
                [values[0], values[1], *values[4:]],
            ),
            {
                "kind": "call_expression",
                "regex": r"^fmt\.Sprintf\(",
                "has": {
                    "kind": "argument_list",
                    "has": {**kinds("interpreted_string_literal", "raw_string_literal"), "regex": SQL},
                },
            },
        ]
    }
    java = {
        "any": [
            _joined(
                "binary_expression",
                ["string_literal"],
                ["identifier", "method_invocation", "field_access", "array_access"],
            ),
            {
                "kind": "method_invocation",
                "regex": r"^String\.format\(",
                "has": {"kind": "argument_list", "has": {"kind": "string_literal", "regex": SQL}},
            },
            {"kind": "method_invocation", "regex": SQL + r".*\.formatted\("},
        ]
    }
    csharp = {
        "any": [
            {"kind": "interpolated_string_expression", "regex": SQL, "has": {"kind": "interpolation"}},
            _joined(
                "binary_expression",
                ["string_literal"],
                ["identifier", "invocation_expression", "member_access_expression"],
            ),
        ]
    }
    php = {
        "any": [
            {"kind": "encapsed_string", "regex": SQL, "has": kinds("variable_name", "member_access_expression")},
            _joined(
                "binary_expression",
                ["string", "encapsed_string"],
                ["variable_name", "member_access_expression", "subscript_expression"],
            ),
        ]
    }
    return by_language(
        {
            "python": python,
            "go": go,
            "java": java,
            "csharp": csharp,
            "php": php,
            "kotlin": {
                "kind": "string_literal",
                "regex": SQL,
                "has": kinds("interpolated_expression", "interpolated_identifier"),
            },
            "ruby": {"kind": "string", "regex": SQL, "has": {"kind": "interpolation"}},
        },
        scripts=scripts,
    )


SQL_CONCATENATION = _sql_concatenation()
DATABASE: Check = EveryCheck(
    (
        SQL_STRING,
        CallCheck(
            (
                "*.cursor",
                "sqlite3.*",
                "psycopg2.*",
                "psycopg.*",
                "pymysql.*",
                "db.query",
                "db.execute",
                "*.db.query",
                "*.db.execute",
                "session.query",
                "session.execute",
                "*.session.query",
                "*.session.execute",
                "connection.execute",
                "conn.execute",
                "*.createQueryBuilder",
                "prisma.*",
                "*.prisma.*",
                "DB.*",
                "pool.query",
                "*.pool.query",
                "knex",
                "jdbcTemplate.*",
                "*.jdbcTemplate.*",
                "entityManager.*",
                "*.entityManager.*",
                "DriverManager.*",
                "*.prepareStatement",
                "*.createStatement",
                "sql.Open",
                "*.db.Query*",
                "*.db.Exec*",
                "db.Query*",
                "db.Exec*",
                "gorm.Open",
            )
        ),
    )
)
DRIVERS = ImportCheck(
    (
        "sqlite3",
        "psycopg2",
        "psycopg",
        "pymysql",
        "sqlalchemy",
        "pymongo",
        "django.db",
        "pg",
        "mysql",
        "mysql2",
        "mongodb",
        "mongoose",
        "typeorm",
        "knex",
        "sequelize",
        "@prisma/client",
        "database/sql",
        "gorm.io/*",
        "github.com/jackc/pgx",
        "github.com/jmoiron/sqlx",
        "java.sql",
        "javax.sql",
        "javax.persistence",
        "jakarta.persistence",
        "org.hibernate",
        "org.springframework.jdbc",
    )
)
