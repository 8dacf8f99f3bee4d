"""A grammar on disk: reading and writing .grammar files, lexicons and editions."""
