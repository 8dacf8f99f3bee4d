"""report.html and its companions."""
