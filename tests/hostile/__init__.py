"""Repositories made to hurt: each must be answered, soon, and nothing may happen that was not asked for."""
