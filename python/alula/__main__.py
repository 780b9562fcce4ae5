"""`python -m alula`: the same as the command `alula`."""

from alula._internal.cli import command

if __name__ == "__main__":
    command()
