"""Which tokens are good: those that this service made, or those that an identity provider signed."""
