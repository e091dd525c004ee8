"""What earlier work found out: discoveries, and the sessions they were made in."""
