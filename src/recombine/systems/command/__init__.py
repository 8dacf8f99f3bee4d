"""Any program as a translation system."""
