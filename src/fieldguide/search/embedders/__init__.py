"""The models that turn texts into vectors, built in, installed, in a folder or behind an address."""
