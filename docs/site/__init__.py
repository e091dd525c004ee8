"""What turns the pages of this folder into a site: `make docs` builds it with MkDocs and the Material theme."""
