"""The chains of a trace: what leads from a requirement, a decision, a file, a commit, or some words."""
