"""What the HTTP transport is made of: who may come in, what they send, how long they may stay."""
