"""What a project is, told from the repository itself: for whoever opens it and has no model of it.

`page` puts it together: `about` says what it is, `commands` how it is built and tested, `packages` what it is made of
and what depends on what.
"""

from fieldguide.toolsets.context.overview.page import repository_lines

__all__ = ["repository_lines"]
