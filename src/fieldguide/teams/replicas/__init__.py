"""What the replicas of a service share: sessions, windows of calls, news of changes."""
