"""Nobody sees what is not theirs."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "teams: isolation": (
        ("Z-285", None, "The matrix of isolation is made from what a service registers, and its owner sees all of it."),
        ("Z-286", None,
         "Nothing of one project shows in another by any tool, resource, prompt, completion, method or error; what is "
         "elsewhere and what is nowhere are the same answer."),
        ("Z-287", None,
         "Nothing that a user keeps shows to another user of the same project; theirs and none are the same answer."),
        ("Z-288", None, "A project that is not yours and one that does not exist are the same answer, byte for byte."),
        ("Z-289", None, "The session of another principal and one that does not exist are the same answer."),
        ("Z-290", None,
         "Without a good token (none, unknown, revoked, empty) nobody learns whether a project exists."),
        ("Z-291", None, "A token with the scope `read` alone neither lists nor runs what changes something."),
        ("Z-292", None,
         "A JWT that is expired, forged, unsigned, changed, for another audience, of another issuer or for nobody gets "
         "nobody in."),
        ("Z-293", None,
         "On PostgreSQL task ids are counted for each user of a project: no id tells how much anybody else adds, none "
         "comes twice, and tasks from before keep theirs."),
        ("Z-294", None,
         "`list_changed` goes only to those who may see what changed: not for a toolset that is closed to them, and "
         "not for what another user keeps."),
    ),
}
