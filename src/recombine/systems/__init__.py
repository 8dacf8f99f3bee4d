"""Source -> translation."""
