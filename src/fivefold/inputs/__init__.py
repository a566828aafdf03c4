"""What users hand over, checked once: columns, labels, answers, probabilities, options."""
