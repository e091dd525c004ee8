"""Many projects in one service: each an app of its own, opened when it is first asked for."""
