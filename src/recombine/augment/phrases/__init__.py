"""Phrases: heads, what may be added to them, and how both are found."""
