"""Text that somebody else wrote: read, parsed, aligned, cleaned, cut into tokens."""
