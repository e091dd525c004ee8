"""The pages of a service: who is signed in, which projects are theirs, and each project's pages below `/p/NAME/`."""
