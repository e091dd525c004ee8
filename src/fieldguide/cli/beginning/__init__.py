"""The guided start of a project: what is there, what could be added, and the first questions with their answers.

`survey` looks, with `code_size` and `commits` for what must be counted. `offers` says what is missing and writes it,
`agreement` asks which of it is wanted. `wording` makes questions of headings, `candidates` gathers them, `asking` has
the product answer and keeps what is answered well. `telling` puts it into lines and JSON.
"""
