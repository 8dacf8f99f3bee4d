"""Kinds of benchmark: a file each says what the report on one shows. Above report, used by name."""
