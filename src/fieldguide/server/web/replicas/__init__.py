"""The handshake era over HTTP where several replicas serve one project: each answers for the sessions of all."""
