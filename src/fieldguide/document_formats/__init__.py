"""Documents of every format: what a file is, and how its headings, sections and blocks are read."""
