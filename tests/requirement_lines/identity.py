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
        ("Z-132", None,
         "A JWT is taken only with a signature by a key of its issuer (RS, PS, ES, EdDSA), in date, with the exact "
         "issuer and audience and a subject; `alg=none`, a public key as a secret and keys in the header are not."),
        ("Z-133", None,
         "The issuer's keys come from a file or an https address within bounds; new ones are found without a restart, "
         "and made-up names of keys make us fetch no more than once in ten seconds."),
        ("Z-134", None,
         "The metadata of RFC 9728 names the resource, its issuer and scopes, and is the same for every project name, "
         "whether there is such a project or not."),
        ("Z-135", None,
         "Beyond loopback a server starts only with `--auth`, a public address, and TLS or a named proxy; each refusal "
         "says how to mend it, and nothing of this can come from a project."),
        ("Z-136", None,
         "TLS takes a certificate and a key that only the server reads, and speaks no version before 1.2."),
        ("Z-137", None,
         "Forwarded headers are believed only from the named proxies or the socket; Host and Origin are compared whole "
         "with the public address, and who comes around the proxy is refused."),
        ("Z-138", None,
         "A toolset that a caller may not read is not there for them: in lists, calls, resources, prompts, "
         "completions, methods, instructions, counts and in what other tools find, with the same bytes as none."),
        ("Z-139", None,
         "A token with the scope `read` neither sees nor calls a tool that changes something, and is told why."),
        ("Z-140", None,
         "The handle of a prompt and the state of a question belong to the principal that got them."),
    ),
}
