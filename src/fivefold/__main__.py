"""`python -m fivefold`: the command line, where its script is not on the path."""

from fivefold.cli.main import program

if __name__ == "__main__":
    program()
