"""What speaks for or against a proposal in one record, each finding with the record's own words and their line."""

from collections.abc import Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.claims import Claim
from fieldguide.toolsets.architecture.adr.contrast import CLASS_TERMS
from fieldguide.toolsets.architecture.adr.features import Arguments, Proposal, Stance
from fieldguide.toolsets.architecture.adr.finding import Evidence, Way
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF
from fieldguide.toolsets.architecture.adr.ranking import Weights
from fieldguide.toolsets.architecture.adr.short_evidence import weigh_short
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence
from fieldguide.toolsets.architecture.decisions.reading.record import Reference

CONTRARY = re.compile(
    r"\b(?:instead of|in place of|differs? from|no longer|not (?:\w+ )?relevant|revers(?:e|es|ed|ing)|revisit\w*"
    r"|reconsider\w*|revis(?:e|es|ed|ing)|unlike|rather than"
    r"|will now|now be|replac\w+|abandon\w*|drop(?:s|ped|ping)?|deprecat\w+|super[sc]ed\w+|amend\w*|depart\w*"
    r"|overrid\w+|overrul\w+|contrary|supplant\w*)\b",
    re.IGNORECASE,
)
FOLLOWING = re.compile(
    r"\b(?:builds? on|building on|extends?|extending|in line with|as (?:decided|described|defined|agreed|per|set out)"
    r"|per|follow(?:s|ing)?|according to|based on|implement(?:s|ing)?"
    r"|consistent with|complements?|complies|comply|continu\w+)\b",
    re.IGNORECASE,
)
REVISITS = re.compile(
    r"\b(?:revisit\w*|reconsider\w*|rethink\w*|revised|revision|redesign\w*|re-?structur\w*|overhaul\w*|rework\w*"
    r"|re-?organi[sz]\w*|v2|updated|replacement)\b",
    re.IGNORECASE,
)
PLACE = {"title": 1.0, "option": 1.0, "decision": 0.85}
SAME_ROLE = 0.7
SAME_THING = 0.65
SOME_OF_IT = 0.4
LEAST_WITH_HEAD = 0.3
SAME_HEAD = 0.7  # "the monolith" is "the modular monolith"
OTHER_THING = 0.5
ALIKE = 0.6
WHOLE_RULE = 0.9
LEAST_SHARED = 3
LEAST_TITLE = 0.3
LEAST_COPIED = 0.3
LEAST_SHINGLES = 12
KEPT = 0.8
LEAST_WORDS = 4
LEAST_ABOUT = 0.3
FOREMOST = frozenset(terms_of("main primary default"))  # "our main database" is the database


def find_evidence(
    proposal: Proposal, mentioned: Sequence[Reference], theirs: Arguments, weights: Weights
) -> list[Evidence]:
    """All findings about one record."""
    own = proposal.arguments
    found = [
        *_named(mentioned, theirs),
        *_stances(own, theirs, weights),
        *_technologies(own, theirs, weights),
        *_kept(own, theirs, weights),
        *_rules(own, theirs, weights),
        *_broken_rules(own, theirs, weights),
        *_questions(own, theirs, weights),
    ]
    if proposal.point is None or theirs.ground is None:
        return found
    return weigh_short(proposal.point, found, theirs.ground, weights)


def leading_sentence(arguments: Arguments) -> Sentence:
    """The sentence that says best what a record decided: the option it chose, else the first of its decision."""
    options = (
        stance.claim.sentence for stance in arguments.stances if stance.claim.is_for and stance.place == "option"
    )
    decision = (
        each for each in arguments.sentences[1:] if len(each.text.split()) >= LEAST_WORDS and not _leads_on(each)
    )
    return next(iter((*options, *decision, *arguments.sentences)))


def _leads_on(sentence: Sentence) -> bool:
    """Whether a sentence only introduces what follows."""
    return sentence.text.endswith(":")


def _named(mentioned: Sequence[Reference], theirs: Arguments) -> Iterator[Evidence]:
    for reference in mentioned:
        if reference.tie in ("supersedes", "amends") or CONTRARY.search(reference.text):
            yield Evidence("named", True, 1.0, leading_sentence(theirs), reference.text)
        elif FOLLOWING.search(reference.text):
            yield Evidence("follows it", False, 0.8, leading_sentence(theirs), reference.text)


def _stances(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    for mine in own.stances:
        for other in theirs.stances:
            likeness = _likeness(mine.claim, other.claim, weights)
            if likeness:
                strength = likeness * PLACE[mine.place] * PLACE[other.place]
                yield Evidence(
                    _way(mine, other),
                    mine.claim.is_for != other.claim.is_for,
                    strength,
                    other.claim.sentence,
                    mine.claim.sentence.text,
                    other.detail,
                )


def _way(mine: Stance, other: Stance) -> Way:
    if mine.claim.is_for == other.claim.is_for:
        return "builds on it" if mine.claim.is_for else "avoids what it rejected"
    return "takes what it rejected" if mine.claim.is_for else "drops its choice"


def _likeness(mine: Claim, other: Claim, weights: Weights) -> float:
    """How surely two claims are about the same thing: 0 unless each holds enough of the other."""
    if not mine.core & other.core:
        return 0.0
    held = _held(mine.core, other.core, weights)
    holding = _held(other.core, mine.core, weights)
    if mine.is_for and not other.is_for:
        held, holding = holding, held  # to take a part of what was rejected is not to take it
    is_same_head = bool(mine.head) and mine.head == other.head
    if held < SAME_THING or holding < (LEAST_WITH_HEAD if is_same_head else SOME_OF_IT):
        return 0.0
    if is_same_head and held == 1.0:
        holding = max(holding, SAME_HEAD)
    apart = mine.is_for != other.is_for and mine.role and other.role and not mine.role & other.role
    return held * (0.4 + 0.6 * holding) * (0.75 if apart else 1.0)


def _held(part: frozenset[str], whole: frozenset[str], weights: Weights) -> float:
    """How much of a phrase is in another; `gov` counts as `govuk`, where they share another word."""
    near = {term for term in part - whole if any(_is_near(term, other) for other in whole)}
    return weights.total(part & (whole | near)) / (weights.total(part) or 1.0)


def _is_near(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and long.startswith(short) and len(long) - len(short) <= 3


def _technologies(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    """Another technology of the same kind, for the same role or for none that is named."""
    kept = _for_terms(own)
    for other in theirs.stances:
        kind = KIND_OF.get(other.claim.head) if other.claim.is_for else None
        if kind is None or other.claim.head in kept:
            continue
        for mine in own.stances:
            if (
                mine.claim.is_for
                and KIND_OF.get(mine.claim.head) == kind
                and not _are_apart(mine.claim, other.claim, weights)
            ):
                strength = PLACE[mine.place] * PLACE[other.place]
                yield Evidence("other technology", True, strength, other.claim.sentence, mine.claim.sentence.text, kind)


def _are_apart(mine: Claim, other: Claim, weights: Weights) -> bool:
    """Whether two choices answer different questions: each says what it is for, and that has nothing in common."""
    general = FOREMOST | CLASS_TERMS.get(KIND_OF[mine.head], frozenset())
    mine_about = (mine.role | (mine.core - {mine.head})) - general
    other_about = (other.role | (other.core - {other.head})) - general
    return (
        bool(mine_about and other_about)
        and max(weights.contained(mine_about, other_about), weights.contained(other_about, mine_about)) < LEAST_ABOUT
    )


def _for_terms(own: Arguments) -> frozenset[str]:
    return frozenset[str]().union(
        *(stance.claim.core | stance.claim.role for stance in own.stances if stance.claim.is_for)
    )


def _kept(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    """What a record chose, and a proposal goes on using for something else."""
    kept = _for_terms(own)
    for other in theirs.stances:
        if other.claim.is_for and other.place != "decision" and _held(other.claim.core, kept, weights) >= KEPT:
            yield Evidence("builds on it", False, 0.7 * PLACE[other.place], other.claim.sentence, own.sentences[0].text)


def _rules(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    for mine in own.rules:
        for other in theirs.rules:
            if len(mine.terms & other.terms) < min(LEAST_SHARED, len(mine.terms), len(other.terms)):
                continue
            held, holding = weights.contained(mine.terms, other.terms), weights.contained(other.terms, mine.terms)
            is_against = mine.is_for != other.is_for
            if min(held, holding) >= ALIKE:
                yield Evidence(
                    "turns its rule" if is_against else "restates it",
                    is_against,
                    min(held, holding),
                    other.sentence,
                    mine.sentence.text,
                )
            elif holding >= WHOLE_RULE and not is_against:
                yield Evidence("restates it", False, ALIKE, other.sentence, mine.sentence.text)


def _broken_rules(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    """Rules of a record of which a proposal drops a part: "instead of JSON", where logs must be written as JSON."""
    dropped = [stance.claim for stance in own.stances if not stance.claim.is_for]
    for claim in dropped:
        said = frozenset(terms_of(claim.sentence.text))
        for other in theirs.rules:
            if other.is_for and claim.core <= other.terms and len(said & other.terms) >= LEAST_SHARED:
                alike = weights.contained(other.terms, said)
                if alike >= ALIKE:
                    yield Evidence("turns its rule", True, alike, other.sentence, claim.sentence.text)


def _questions(own: Arguments, theirs: Arguments, weights: Weights) -> Iterator[Evidence]:
    shared = own.title.terms & theirs.title.terms
    alike = weights.total(shared) / (weights.total(own.title.terms | theirs.title.terms) or 1.0)
    title = own.sentences[0].text
    if alike >= LEAST_TITLE and not (
        own.title.is_choice and _held(own.title.core, theirs.title.core, weights) >= OTHER_THING
    ):
        yield Evidence("same question", True, alike, leading_sentence(theirs), title)
    if shared and REVISITS.search(title):
        yield Evidence("revisits it", True, 0.5 + alike / 2, leading_sentence(theirs), title)
    if _has_other_answer(own, theirs, weights):
        yield Evidence("other answer", True, 0.9, theirs.sentences[0], title)
    least = min(len(own.context), len(theirs.context))
    copied = len(own.context & theirs.context) / least if least >= LEAST_SHINGLES else 0.0
    if copied >= LEAST_COPIED:
        yield Evidence("same context", True, copied, leading_sentence(theirs), title)


def _has_other_answer(own: Arguments, theirs: Arguments, weights: Weights) -> bool:
    """Whether two titles choose different things for the same role."""
    mine, other = own.title, theirs.title
    if not (mine.is_choice and other.is_choice and mine.role and other.role):
        return False
    role = min(weights.contained(mine.role, other.role), weights.contained(other.role, mine.role))
    core = max(weights.contained(mine.core, other.core), weights.contained(other.core, mine.core))
    return role >= SAME_ROLE and core < OTHER_THING
