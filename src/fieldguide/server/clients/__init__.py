"""What is known of clients by the name they give themselves, and what each is shown for it."""
