"""Copies of projects that come from git: fetched within bounds, checked out whole, kept up to date."""
