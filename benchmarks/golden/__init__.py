"""Golden answers: what every tool, command and page answers, recorded before a refactoring and compared after it."""
