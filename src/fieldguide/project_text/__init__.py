"""The project's own text, found wherever it lies: what is tracked, which of it is documentation, in which language.

`find_text` puts it together. `files` lists the project (by `git_index`, which lies where `git_place` says, or by a
walk), `places` says what a folder is for, `roots` which folders hold documentation, `names` which files may be
documents, `translations` which of them say again in another language what the others say.
"""
