"""What git tells of a project: which files changed together, when, by whom and why; read once and kept up."""
