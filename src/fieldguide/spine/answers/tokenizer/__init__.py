"""How many tokens a text costs its reader, counted exactly as `cl100k_base` cuts it.

The guide promises answers within a budget, so it counts with a real tokenizer and not by a rule of thumb. The table is
part of the package: nothing is fetched, and it is read by the first count (some 40 ms, 10 MiB). Other models cut texts
otherwise; this one is public, and what people measure with.
"""

from fieldguide.spine.answers.tokenizer.counting import count

__all__ = ["count"]
