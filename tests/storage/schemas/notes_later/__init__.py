"""The notes of a later version: one step more."""
