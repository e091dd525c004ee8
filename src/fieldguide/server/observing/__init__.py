"""What is told of each request beside its answer: a span to a collector of traces, a line to the audit log."""
