"""Whether a question is in the language of a translation: by its script, or by small words that only it has."""

from fieldguide import linear_regex as re

# fmt: off
SCRIPTS: dict[str, tuple[tuple[int, int], ...]] = {
    "ja": ((0x3040, 0x30FF),), "ko": ((0xAC00, 0xD7AF), (0x1100, 0x11FF)), "zh": ((0x4E00, 0x9FFF),),
    "ru": ((0x0400, 0x04FF),), "uk": ((0x0400, 0x04FF),), "bg": ((0x0400, 0x04FF),), "be": ((0x0400, 0x04FF),),
    "sr": ((0x0400, 0x04FF),), "mk": ((0x0400, 0x04FF),), "kk": ((0x0400, 0x04FF),), "mn": ((0x0400, 0x04FF),),
    "ar": ((0x0600, 0x06FF),), "fa": ((0x0600, 0x06FF),), "ur": ((0x0600, 0x06FF),), "he": ((0x0590, 0x05FF),),
    "hi": ((0x0900, 0x097F),), "mr": ((0x0900, 0x097F),), "ne": ((0x0900, 0x097F),), "bn": ((0x0980, 0x09FF),),
    "ta": ((0x0B80, 0x0BFF),), "te": ((0x0C00, 0x0C7F),), "kn": ((0x0C80, 0x0CFF),), "ml": ((0x0D00, 0x0D7F),),
    "th": ((0x0E00, 0x0E7F),), "km": ((0x1780, 0x17FF),), "my": ((0x1000, 0x109F),), "el": ((0x0370, 0x03FF),),
    "ka": ((0x10A0, 0x10FF),), "hy": ((0x0530, 0x058F),), "am": ((0x1200, 0x137F),),
}
SMALL_WORDS = {
    "de": "der die das und ist wie wird nicht ein eine für mit auf den dem werden kann ich",
    "fr": "le la les des est une comment pour dans avec du et quelle quel sont peut je où",
    "es": "el los las una cómo como para con qué por del está son puede cuál y se dónde",
    "pt": "o os as uma como para com que não por do da são pode qual e onde você",
    "it": "il lo gli una come per con che non di della è sono può quale e dove",
    "pl": "jak jest nie się na do czy dla oraz który przez od to w z",
    "nl": "de het een hoe is van voor met niet op wordt kan en zijn",
    "tr": "ve bir bu için nasıl ile nedir mi olarak değil",
    "vi": "là của và cho các như thế nào không được trong với",
    "id": "yang dan untuk dengan bagaimana apa di dari tidak cara",
    "cs": "jak je se na pro není který jsou nebo a v",
    "sv": "hur är och för med inte som en ett på",
    "da": "hvordan er og for med ikke som en et på",
    "fi": "miten on ja ei kuinka mikä että",
    "hu": "hogyan és az egy nem hogy a van",
    "ro": "cum este și pentru cu nu în care",
    "ca": "com és els les una per amb què",
    "en": "the how is are does what to of and in for a do can which where when why with",
}
# fmt: on
WORD = re.compile(r"[^\W\d_]+")
LEAST_IN_SCRIPT = 2
LEAST_SMALL_WORDS = 2


def is_asked_in(question: str, language: str) -> bool:
    """Whether a question is in a language, as a folder names it (`zh-cn`)."""
    first = language.partition("-")[0]
    ranges = SCRIPTS.get(first)
    if ranges is not None:
        return _in_script(question, ranges) >= LEAST_IN_SCRIPT and not (first == "zh" and _is_japanese(question))
    return first in _languages_of(question)


def _is_japanese(question: str) -> bool:
    return _in_script(question, SCRIPTS["ja"]) >= LEAST_IN_SCRIPT


def _in_script(question: str, ranges: tuple[tuple[int, int], ...]) -> int:
    return sum(any(low <= ord(each) <= high for low, high in ranges) for each in question)


def _languages_of(question: str) -> set[str]:
    """The languages whose small words stand in a question more often than those of any other."""
    words = {word.lower() for word in WORD.findall(question)}
    counted = {language: len(words.intersection(small.split())) for language, small in SMALL_WORDS.items()}
    most = max(counted.values())
    if most < LEAST_SMALL_WORDS:
        return {"en"} if question.isascii() else set()
    return {language for language, count in counted.items() if count == most}
