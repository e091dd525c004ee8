"""The lines of the pages of a service (Z-270 to Z-277): who is signed in, and what they see."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "the pages of a service": (
        ("Z-270", None,
         "Whoever puts a good token into the form at `/` gets a cookie that no script reads and no other site sends; "
         "every other token gets the same page."),
        ("Z-271", None,
         "Who is signed in sees a list of their own projects and of no others, and each project's views below "
         "`/p/NAME/`, with every address below that place."),
        ("Z-272", None,
         "The page of a project that is not yours is byte for byte that of a project that is not there, for every "
         "method and path below it."),
        ("Z-273", None,
         "A cookie ends when its token is revoked or ends, and at the latest after twelve hours; any replica takes it, "
         "and nobody can make or change one."),
        ("Z-274", None,
         "`/mcp` never takes the cookie, and no page takes a token in a header."),
        ("Z-275", None,
         "Nothing can be changed by the pages of a service: there is no form for it, and a request for it is refused."),
        ("Z-276", None,
         "After ten wrong tokens in a minute an address gets 429, and a form that another site sends gets 403."),
        ("Z-277", None,
         "A toolset that somebody may not read has no page, no place in the navigation and no number on the first page "
         "for them."),
    ),
}
