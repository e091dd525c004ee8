"""Where names lead in C and C++: through headers, and by the types of what stands before a dot or an arrow."""
