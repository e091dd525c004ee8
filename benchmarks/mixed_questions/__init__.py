"""Mixed questions: what a developer asks of a repository, answered by code, tests, documents and decisions together.

One file a repository: its questions, and the spans that answer each, found by reading. No text of a repository is in
them. A question of the half `kept` is looked at once, when everything is chosen.
"""
