"""Observations -> pictures."""
