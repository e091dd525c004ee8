"""Code and prose asked together: what a question names, and the candidates of each, from one look at the index."""
