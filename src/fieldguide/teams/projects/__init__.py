"""The registry: the projects of a service, and who may do what in each."""
