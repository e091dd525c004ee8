"""The words by which sentences lay down rules, and those by which they only seem to."""

from fieldguide import linear_regex as re

APOSTROPHE = re.compile(r"[’ʼ`´]")
SPACE = re.compile(r"\s+")
LABEL = re.compile(
    r"^(?:[\W_]*(?:rule|note|important|warning|tip|caution|do|don't|dont|must|\d+)\s*[:.)—–-]\s+"
    r"|[-*•→>❌✅🚫⛔✗✓✔\d.)\s]+)",
    re.IGNORECASE,
)
ACTIONS = (
    "use|call|invoke|import|access|depend|reference|instantiate|create|construct|catch|return|throw|raise|write"
    "|put|embed|"
    "place|log|print|expose|leak|pass|swallow|ignore|suppress|hard-?code|store|read|mutate|modify|execute|run"
    "|query|talk|"
    "reach|know|contain|include|have|rely|inherit|extend|subclass|mix|bypass|touch|open|build|concatenate|interpolate|"
    "declare|define|add|make|share|commit|perform|do|let|issue|send|hold|keep|new|assign|name|prefix|block"
    "|sleep|set|get|"
    "discard|silence|eat|format|annotate|inject|export|nest|hide|wrap|write|communicate|go|couple|speak|handle|require|"
    "chain|compare|connect|load|fetch|be|assign|overwrite|rename|update|delete|remove|hand-?roll|spawn|start"
    "|panic|exit|abort|leave|disable|skip|cast|configure|duplicate"
)
VERB = (
    rf"(?:(?:directly|ever|also|even|just|simply|blindly|silently)\s+)*(?P<verb>(?:{ACTIONS})(?:s|es|d|ed|ing)?"
    rf"|putting|using|"
    r"making|writing|catching|passing|being|getting|setting|raising|logging|including|running|having|exposing|leaking|"
    r"creating|storing|sharing|executing|instantiating|concatenating|interpolating|ignoring|hard-?coding|relying|"
    r"mutating|referencing|nesting|duplicating|declaring|defining|handling|reusing|leaving|copying)\b"
)
NOT_A_NORM = re.compile(
    r"\?\s*$|\b(?:do|does|did)(?:n't| not) (?:need|have to|want|worry|forget|hesitate|care|matter|mean"
    r"|necessarily|require|exist)\b"
    r"|\b(?:need not|needn't|no need|never mind|not only)\b"
    r"|\b(?:say|says|said|argue|argues|think|thinks|believe|claim|claims|told|heard|recommends?"
    r"|suggests?) (?:that )?(?:you |we |to )?(?:never|do not|don't|avoid|not)\b",
    re.IGNORECASE,
)
SUBORDINATE = re.compile(
    r"\b(?:if|when|whenever|because|since|that|which|who|whose|unless|until|while|although|though|whereas|why"
    r"|how|what|where|"
    r"whether|as long as|so that|in case|once)\b[^,;:]*$",
    re.IGNORECASE,
)
CLAUSE = (
    r"(?:^|[,;:—–(]\s*|\s-\s+|\b(?:and|but|so|then|please|also|therefore|instead|rather|we|you|developers|teams"
    r"|it|they)\s+)"
)
IMPERATIVE = re.compile(
    rf"{CLAUSE}(?P<mark>do not|don't|dont|never|avoid|refrain from|stop|not)\s+(?P<object>.*)$", re.IGNORECASE
)
MODAL = re.compile(
    r"\b(?P<mark>must not|must never|mustn't|should not|should never|shouldn't|shall not|shall never|may not|may never|"
    r"ought not to|cannot|can not|can't|can never|will never|are not to|is not to|is never to)\s+(?P<object>.*)$",
    re.IGNORECASE,
)
NEVER = re.compile(rf"\b(?P<mark>never|do not|don't|does not|doesn't)\s+(?P<object>{VERB}.*)$", re.IGNORECASE)
FORBIDDEN = re.compile(
    r"^(?P<object>.*?)\s+(?:is|are|remains?)\s+(?P<mark>(?:strictly |explicitly |always |generally "
    r"|also )?(?:forbidden|prohibited|banned|"
    r"disallowed|discouraged|off[- ]limits|not (?:allowed|permitted|acceptable|ok|okay)|never (?:allowed"
    r"|permitted|acceptable|ok|okay)|"
    r"considered harmful|an? (?:anti-?pattern|code smell|smell|bug|violation|mistake))|deprecated)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
NO_THING = re.compile(
    r"^(?:there (?:should|must|shall) be )?(?P<mark>no)\s+(?P<object>(?P<idiom>need|matter|one\b|longer|problem"
    r"|doubt|way\b|wonder|worries|other\b|more than)?.+)$",
    re.IGNORECASE,
)
IT_IS_FORBIDDEN = re.compile(
    r"^it is (?:strictly |explicitly |also )?(?P<mark>forbidden|prohibited|not allowed"
    r"|not permitted) to (?P<object>.+)$",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"^(?P<wanted>.*?)(?:,\s*)?\b(?:instead of|rather than|in place of|over|not)\s+(?P<object>.+)$", re.IGNORECASE
)
CONTRAST_OPENS = re.compile(
    r"^(?:always |please |and )?(?:use|prefer|favou?r|choose|return|inject|call|write|raise|throw|log|pass"
    r"|depend|rely|import|"
    r"reach for|opt for|make|put|catch|read|go|get|fetch|create|build|define|declare|send|add|wrap|keep|take)\b|"
    r"\b(?:must|should|shall|always)\b",
    re.IGNORECASE,
)
INSTEAD_FIRST = re.compile(r"^instead of\s+(?P<object>[^,]+),\s*(?P<wanted>.+)$", re.IGNORECASE)
REPLACE = re.compile(r"^replace\s+(?P<object>.+?)\s+(?:with|by)\s+(?P<wanted>.+)$", re.IGNORECASE)
ONLY_SUBJECT = re.compile(
    r"^only\s+(?:the\s+)?(?P<who>[^,.]+?)\s+(?:may|can|should|must|is allowed to|are allowed to|is permitted to"
    r"|are permitted to)\s+(?P<object>.+)$",
    re.IGNORECASE,
)
ONLY_PASSIVE = re.compile(
    r"^(?P<object>.+?)\s+(?:may|must|should|can|shall|is|are)\s+(?:only\s+(?:ever\s+)?(?:be\s+|allowed\s+"
    r"|permitted\s+)?(?:\w+ed\s+|used\s+|written\s+|made\s+|kept\s+|appear\s+|live\s+|occur\s+|happen\s+"
    r"|exist\s+|called\s+|run\s+)?"
    r"|(?:be\s+)?(?:\w+ed\s+|used\s+|written\s+|made\s+|called\s+|run\s+|allowed\s+|permitted\s+)?only\s+)"
    r"(?:in|inside|within|by|from|through|via)\s+(?P<who>.+)$",
    re.IGNORECASE,
)
BELONGS = re.compile(
    r"^(?:all\s+|every\s+|any\s+)?(?P<object>.+?)\s+(?:belongs?|(?:must|should|shall)\s+(?:always\s+)?(?:live"
    r"|stay|reside|remain|go|be (?:kept|placed|confined|isolated|contained|located|written|encapsulated|defined"
    r"|done|put|hidden))|lives|"
    r"(?:is|are) (?:kept|confined|isolated|encapsulated|hidden))\s+(?:only\s+)?(?:in|inside|within|to|behind"
    r"|through)\s+(?P<who>.+)$",
    re.IGNORECASE,
)
REQUIRED = re.compile(
    r"\b(?P<mark>must|shall|should|always|ought to|is required|are required"
    r"|is mandatory|are mandatory|"
    r"required to|make sure|ensure|be sure|prefer|preferred|is preferred|recommended)\b",
    re.IGNORECASE,
)
USE_FIRST = re.compile(
    r"^(?:use|prefer|keep|favou?r|inject|wrap|validate|return|define|name|put|place|separate|handle|log|write"
    r"|make|add|call|pass|"
    r"catch|raise|throw|depend|declare|document|test|limit|treat|hide|isolate|expose|encapsulate|close|release"
    r"|follow|annotate|mark|"
    r"implement|extend|accept|check|cover|group|register|map|model|store|load|read|set|let|ensure|create|design"
    r"|split|choose|avoid)\b",
    re.IGNORECASE,
)
PERMISSION = re.compile(
    r"\b(?:you (?:can|may|could|might)|it(?:'s| is) (?:fine|ok|okay|acceptable|allowed|possible)|feel free"
    r"|is (?:fine|ok|okay|acceptable)|are (?:fine|ok|okay|acceptable)|may (?:be used|use)|can be used|is allowed"
    r"|are allowed)\b",
    re.IGNORECASE,
)
STRONG = re.compile(
    r"must|never|shall|do not|don't|dont|does not|doesn't|forbidden|prohibited|banned|not allowed|not permitted"
    r"|disallowed|always|required|cannot|can't|may not|may never|mandatory|^no$|only|off|not to",
    re.IGNORECASE,
)
PASSIVE = re.compile(
    r"^(?:ever\s+)?be(?:ing)?\s+(?:directly\s+|ever\s+)?(?P<verb>used|called|invoked|imported|accessed"
    r"|instantiated|created|constructed|caught|returned|thrown|raised|"
    r"written|embedded|placed|put|logged|printed|exposed|swallowed|ignored|hard-?coded|stored|executed|built"
    r"|concatenated|interpolated|"
    r"declared|made|shared|committed|performed|referenced|extended|subclassed|suppressed|silenced|discarded"
    r"|injected|run|mixed|opened|read|set|sent|held|kept|nested|duplicated|mutated|modified|assigned|overwritten"
    r"|disabled|passed|wrapped|chained|compared|exported|annotated|configured|loaded|fetched|added"
    r"|defined)\b\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
SAID_BESIDES = re.compile(r"\s+(?:is|are|has|have|was|were)\s.*(?:\band|,\s*so|,)$", re.IGNORECASE)
"""`X is slow and` must not be used."""
DONE_TO = re.compile(r"\s+(?:is|are|be|being)$", re.IGNORECASE)
NARRATIVE = re.compile(
    r"\b(?:currently|already|previously|so far|at the moment|for now|as yet|not yet|here we|in this (?:example"
    r"|case|listing)"
    r"|let's|we'll|we've|you'll|you've)\b",
    re.IGNORECASE,
)
SPEAKERS = re.compile(r"^(?:and |but |so |then |here |now )*(?:i|we|you|it|they|this|that|there|one)$", re.IGNORECASE)
POLICY = re.compile(
    r"(?:use|import|write|catch|throw|raise|return|commit|allow|permit|log|call|expose)$", re.IGNORECASE
)
STATED = re.compile(r"\b(?:have|has|had|was|were|is|are|will|can|required|needed|when|if)\b", re.IGNORECASE)
ONLY_IF = re.compile(r"^(?:if|unless)\b", re.IGNORECASE)
LONGEST_RULE_WORDS = 36
LONGEST_REQUIREMENT_WORDS = 18
