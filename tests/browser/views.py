"""The views of the page, by where they are, on the orchard."""

VIEWS = {"home": "/", "calls": "/calls", "connect": "/connect"}
