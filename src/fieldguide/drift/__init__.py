"""What documents name that is no longer there, and the commit that took it away."""
