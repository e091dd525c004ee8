"""What `fieldguide prove` is made of: tasks from commits, the state before each, a search by grep, and the picture."""
