"""Reading a decision record: its question, its options, its answer, its standing and its ties, each with its lines.

`reader` puts together what the others find: `page` has front matter, visible lines and sections by the words of
`vocabulary`; `status`, `answers`, `options` with `listed_options`, and `references` read from it. `record` has the
values, `links` the ties between records in both directions, `prose` cuts sentences.
"""
