"""What every answer keeps to: it fits a context, and the places that it names can be opened."""
