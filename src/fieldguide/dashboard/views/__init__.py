"""One module, or one folder, for each view: `routes(site)` gives its paths and names it in the navigation."""
