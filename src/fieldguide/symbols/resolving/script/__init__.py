"""Where names in scripts lead, and of what type their values are, as far as the texts tell."""
