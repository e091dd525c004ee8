"""From a requirement, a task, a decision or a finding to code, tests and commits, and back."""
