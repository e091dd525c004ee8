"""What `fieldguide check` takes from the code itself: comments that say why a rule does not hold there."""
