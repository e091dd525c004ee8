"""Reads Rust: items and what they use."""
