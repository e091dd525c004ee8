"""What a task needs, by chance: files, chunks and lines with the probability that the task changes them.

`rank(services, task, cancellation)` gives places; `steps_of(places)` puts them in the order of their worth for a token.
The chances are logistic: few named features each (`files.py`, `chunks.py`, `line_chances.py`), weights learnt from the
history of public repositories (`weights.py`, by `training/brief.py`).
"""
