"""The guide's prompts: a task begun, a change reviewed, a decision recorded, each with what the project knows of it."""
