"""`guide_trace`: from a requirement, decision, finding, task, file or commit to code, tests and commits, and back."""
