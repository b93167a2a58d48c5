"""Reports: each tells a result, to the terminal or into a file."""
