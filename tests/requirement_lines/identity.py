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
    ),
}
