"""A service for a team: many projects and people, tokens, grants, audit and operation."""
