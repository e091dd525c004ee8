"""Nobody sees what is not theirs: every way into a service, times every way of not being allowed in."""
