"""The lines of search in large projects on PostgreSQL."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "teams: large projects": (
        ("Z-185", None,
         "How many chunks of a project hold each word is kept as documents come and go, whichever version of the "
         "server writes them, and is never counted at a search."),
        ("Z-186", None,
         "Where words are common, chunks that hold a rarer word are ranked with all words counted, on both databases "
         "alike."),
        ("Z-187", None,
         "Above a size that was measured, the nearest are found by an index of the project's own, which is made when "
         "a sync ends; below it every vector is compared."),
        ("Z-188", None,
         "When the model changes, an index of the nearest is made for it and the old one is dropped; one that was left "
         "half made is made again."),
        ("Z-189", None,
         "A source that is a small part of a large project gives as many of its nearest chunks as it would alone."),
        ("Z-190", None,
         "A project of a service that asks for the words or the nearest of another project gets an error, and of "
         "another project's sources nothing."),
        ("Z-191", None,
         "A batch of documents is copied into PostgreSQL by the same number of statements however many chunks it has."),
        ("Z-192", None,
         "Whoever searches while a batch is put in waits for nothing, and sees all of the batch or none of it."),
    ),
}
