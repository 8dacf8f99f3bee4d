"""Languages whose articles correspond: forms that go with a noun are taken out and put back."""
