"""Fast paths, one kind of learner a file."""
