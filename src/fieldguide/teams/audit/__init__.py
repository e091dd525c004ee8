"""The audit log: who did what where, when, and how it ended."""
