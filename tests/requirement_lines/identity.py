"""The lines of identity per request (Z-128 to Z-149): tokens, who may do what with them, and where it may listen."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "identity": (
        ("Z-128", None,
         "A request without one good bearer token gets 401 with a challenge that names the service's metadata, and "
         "every bad token gets the same bytes."),
        ("Z-129", None,
         "A token that was revoked or has ended opens nothing from the next request on, also in an open session, and "
         "a stream that is open ends with its token."),
        ("Z-130", None,
         "`fieldguide token new NAME` makes a token that is shown once and kept as a hash, whose bearer is the user "
         "NAME in every call; `list` never shows it, `revoke` ends it, and scanners find it by its prefix."),
        ("Z-131", None,
         "A session belongs to the principal that opened it, whichever of their tokens is shown; for any other "
         "principal it is byte for byte like one that does not exist."),
    ),
}
