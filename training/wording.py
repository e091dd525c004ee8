"""How people put it: a heading as a question, a description or a name as words typed into a search box.

All of it is mechanical. A model of single words learns here how little "how do I" weighs, and that people say "get"
where authors write "return".
"""

import random
import re

ARTICLES = {"a", "an", "the", "this", "that", "given", "of", "is", "are"}
# fmt: off
SMALL_WORDS = ARTICLES | {
    "all", "and", "any", "as", "at", "be", "by", "each", "for", "from", "if", "in", "into", "it", "its", "not", "on",
    "or", "than", "then", "to", "when", "where", "whether", "which", "with",
}
# fmt: on
MOST_WORDS = 12
QUESTIONS = (
    "how do i {}",
    "how to {}",
    "how can i {}",
    "what is {}",
    "where is {}",
    "{} example",
    "{}?",
    "is there a way to {}?",
    "what does {} do?",
    "can i use {}",
    "does it support {}?",
    "why does {} not work",
    "i am trying to understand {}, any advice?",
    "what is the best way to {}?",
    "how does {} work?",
    "tell me about {}",
    "i'm having trouble with {}",
    "what happens with {}",
    "should i use {}",
    "i want to {}",
    "when should i use {}?",
    "where can i find {}",
    "what are the options for {}?",
    "help with {}",
)
SAME_MEANING = (
    ("return", "get", "find", "fetch", "retrieve", "obtain"),
    ("check", "test", "determine", "verify", "validate", "see"),
    ("create", "make", "build", "generate", "construct"),
    ("delete", "remove", "drop", "erase"),
    ("compute", "calculate", "evaluate"),
    ("convert", "transform", "turn", "change"),
    ("read", "load", "open", "parse"),
    ("write", "save", "store", "dump"),
    ("print", "display", "show", "output"),
    ("merge", "join", "combine", "concatenate"),
    ("split", "divide", "break"),
    ("run", "execute", "call", "invoke"),
    ("add", "append", "insert"),
    ("start", "begin", "launch"),
    ("stop", "end", "terminate"),
    ("copy", "duplicate", "clone"),
    ("replace", "substitute"),
    ("draw", "plot"),
    ("dictionary", "dict", "map"),
    ("string", "str", "text"),
    ("integer", "int", "number"),
    ("directory", "folder", "dir"),
    ("list", "array"),
    ("url", "link", "address"),
    ("function", "method"),
    ("parameter", "argument"),
    ("element", "item", "entry"),
    ("unique", "distinct"),
    ("maximum", "max", "largest"),
    ("minimum", "min", "smallest"),
    ("average", "mean"),
    ("error", "exception"),
)
SYNONYMS = {word: group for group in SAME_MEANING for word in group}
WORD_END = re.compile(r"[^\w)]+$")


def asked(words: str, chance: random.Random) -> str:
    """Now and then a heading is asked as a question."""
    return chance.choice(QUESTIONS).format(words) if chance.random() < 0.3 else words


def searched(description: str, language: str, chance: random.Random) -> str:
    """The first sentence of a description as somebody types it into a search box."""
    sentence = description.split(". ")[0].lower()
    words = [word for word in map(_bare, sentence.split()) if word and word not in ARTICLES]
    if words and words[0].endswith("s") and len(words[0]) > 4 and not words[0].endswith("ss"):
        words[0] = words[0][:-1]  # "returns" is typed as "return"
    if chance.random() < 0.5:
        words = [word for word in words if word not in SMALL_WORDS and chance.random() < 0.85] or words
    words = [_said_otherwise(word, chance) for word in words[:MOST_WORDS]]
    return in_language(" ".join(words), language, chance)


def in_language(words: str, language: str, chance: random.Random) -> str:
    """Words with the language beside them, as half of all searches for code have it."""
    wording = chance.random()
    if wording < 0.3:
        return f"{language} {words}"
    if wording < 0.4:
        return f"how to {words} in {language}"
    if wording < 0.5:
        return chance.choice((f"{words} in {language}", f"{words} {language}", f"{language} how to {words}"))
    return words


def _said_otherwise(word: str, chance: random.Random) -> str:
    group = SYNONYMS.get(word)
    return chance.choice(group) if group and chance.random() < 0.4 else word


def _bare(word: str) -> str:
    return WORD_END.sub("", word)
