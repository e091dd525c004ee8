"""Panels: small pages that a client shows beside a tool's answer (MCP Apps); elsewhere the answer is all there is."""
