"""Reads Kotlin: declarations, what statements bind, and types. Its grammar gives parts no names, only an order."""
