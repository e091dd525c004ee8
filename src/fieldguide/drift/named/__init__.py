"""What documents name: the spans that name things of code, and which of them tell of the past on purpose."""
