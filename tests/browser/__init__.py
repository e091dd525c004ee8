"""The page in a real browser: used by mouse and by keyboard, looked at by axe, and attacked by what it shows."""
