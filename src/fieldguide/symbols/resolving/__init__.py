"""Where names lead: through scopes, imports, and the types of receivers, when somebody asks."""
