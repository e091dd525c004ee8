"""Static tokens: hashed, with an expiry, shown once."""
