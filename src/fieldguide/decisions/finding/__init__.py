"""Which records are about the question that a proposal answers: by their words and by their vectors, in memory."""
