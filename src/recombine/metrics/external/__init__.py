"""Metrics that are not ours: programs, files of scores, language models that judge."""
