"""The same thing said the same way: what a report on it says."""
