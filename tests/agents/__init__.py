"""Real agents from npm, connected by `fieldguide install`; `make clients` fetches them (770 MB) and runs this."""
