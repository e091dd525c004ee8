"""Reading a decision record: its question, its options, its answer, its standing and its ties, each with its lines.

`reader` puts together what `front_matter`, `sections`, `unsectioned`, `status`, `options` and `references` find;
`record` has the values, `links` the ties between records in both directions, `prose` cuts sentences.
"""
