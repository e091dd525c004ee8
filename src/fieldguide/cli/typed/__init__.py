"""What helps a person to type: names that are near a wrong one, arguments as key=value, and completion."""
