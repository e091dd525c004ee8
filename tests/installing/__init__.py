"""`fieldguide install`: every client, every odd file, and back to the last byte."""
