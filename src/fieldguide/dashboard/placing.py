"""Where the pages of a project lie: views write addresses from `/` on, and a service has many projects below it."""

ATTRIBUTES = ("href", "src", "action", "formaction", "data-from")


def placed(content: str, place: str) -> str:
    """The same HTML with its own addresses below a place, such as `/p/shop`; what a text says is escaped, and stays."""
    if not place:
        return content
    for name in ATTRIBUTES:
        content = content.replace(f' {name}="/', f' {name}="{place}/')
    return content
