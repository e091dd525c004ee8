"""Rules that a document declares in its front matter: what is written there, read and tried."""
