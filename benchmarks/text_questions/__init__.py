"""Questions whose answer is no code: configuration, workflows, templates, styles, translations, scripts.

One file a repository; its first line names the repository, the commit, and the part of the split: repositories to
`choose` on, and those that are `kept` until everything is chosen. `asked` questions name the file or its kind,
`plain` ones do not; a `trap` has such words, and is answered by code. No text of a repository is in them.
"""
