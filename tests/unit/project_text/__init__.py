"""Tests of how a project's own text is found."""
