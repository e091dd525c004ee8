"""`guide_governs`: what applies to a path before it is edited."""
