"""The command line: arguments in, text and files out."""
