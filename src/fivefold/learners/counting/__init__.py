"""Counting classes."""
