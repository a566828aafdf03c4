"""Fit on some rows, ask about others: written once."""
