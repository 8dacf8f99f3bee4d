"""Running text, in which hardly a sentence comes twice: words exchanged where both were seen."""
