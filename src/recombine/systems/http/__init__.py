"""Any JSON service as a translation system."""
