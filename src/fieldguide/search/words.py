"""The words of `text/words.py` under the name by which the guide and the symbols import them."""

from fieldguide.text.words import PART as PART
from fieldguide.text.words import STOP_WORDS as STOP_WORDS
from fieldguide.text.words import extract_identifiers as extract_identifiers
from fieldguide.text.words import extract_query_terms as extract_query_terms
from fieldguide.text.words import has_hump as has_hump
from fieldguide.text.words import make_search_term as make_search_term
from fieldguide.text.words import split_plain_words as split_plain_words
from fieldguide.text.words import strip_ending as strip_ending
