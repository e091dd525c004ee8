"""Source code as search sees it: cut into definitions, named by them, and ranked by what a file is for."""
