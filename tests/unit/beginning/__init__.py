"""The guided start in its parts."""
