"""Whether a translation means what the source means, however it is worded."""
