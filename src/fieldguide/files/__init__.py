"""Files of the project: confined, classified, listed, watched, written, cited and parsed in child processes."""
