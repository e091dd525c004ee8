"""Installs the server into the settings of MCP clients, and removes it again."""
