"""How sure a number is. Below metrics and report, used by both."""
