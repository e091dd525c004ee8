"""Real agents from npm, connected by `fieldguide install`; `make clients` fetches them (1.4 GB) and runs this."""
