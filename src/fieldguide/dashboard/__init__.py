"""Pages for people, served beside MCP by the HTTP server."""
