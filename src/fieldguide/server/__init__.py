"""The wire: MCP's methods in plain JSON, how each toolset's errors look, and the two transports."""
