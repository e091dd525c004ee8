"""The web page of a project for people."""
