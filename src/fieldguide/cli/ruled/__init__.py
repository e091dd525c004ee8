"""What `fieldguide patterns` does with rules: begins them, tries their examples, explains them, and takes them over."""
