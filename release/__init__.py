"""What is handed out: wheel, sdist, registry entry, bundle for Claude Desktop, plugin for Claude Code. `make dist`."""
