"""Recipe -> benchmark."""
