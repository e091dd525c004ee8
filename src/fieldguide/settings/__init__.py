"""What the person and the project configure: settings, limits, consents, access and folders."""
