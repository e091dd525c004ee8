"""What a release hands out: wheel, sdist and the registry's entry. `make dist` builds them."""
