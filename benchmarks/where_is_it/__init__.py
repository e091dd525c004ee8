"""Where is it: can somebody who sees only the list of files say where a thing is? Questions, scoring and results."""
