"""Architecture decision records: what each decides, and what a proposal does to them. Evidence comes first (ADR 0044).

One pipeline, a folder for each step. `reading` makes a record of a text: its question, options, choice, status and
ties, each with its lines. `finding` ranks the records about the question of a proposal. `comparing` reads what clauses
take and drop, and gives a verdict only where the words show it. `saying` tells it with quotes. `alignment` is the way
through all of them. `shape`, `names` and `found` say which documents of a project are records; a trace reads them too.
"""
