"""Tests of the trace."""
