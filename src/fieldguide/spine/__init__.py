"""What every call passes through; it knows no toolset, no wire and no database."""
