"""Decision trees: their nodes, and the learners that grow them."""
