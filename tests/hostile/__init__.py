"""What a strange repository, another local user or a web page may try."""
