"""What the person and the project configure: settings, limits, access and folders."""
