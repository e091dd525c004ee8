"""The MCP wire: JSON-RPC over stdio and HTTP, and the methods of both protocol eras."""
