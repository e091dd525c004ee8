"""Tables of no product: what the storage suite keeps, and migrations that must be refused."""
