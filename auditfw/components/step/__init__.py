"""Steps: text to text."""
