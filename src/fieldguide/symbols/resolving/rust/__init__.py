"""Where names lead in Rust: through the module tree, and by the types of what stands before a dot."""
