"""What those see who run a server: readiness, metrics, traces, the audit log, the end."""
