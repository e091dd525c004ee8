"""A service for a team under load: PostgreSQL, two replicas, a balancer, and agents whose every answer is checked."""
