"""Documents: their formats, their outline, their language, and which files of a project are documents."""
