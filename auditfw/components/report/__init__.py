"""Reports: each presents a result, on the terminal or into a file."""
