"""What is asked of the table of loops: a module each."""
