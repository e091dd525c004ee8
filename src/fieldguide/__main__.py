"""`python -m fieldguide`: the command line, where the script is not on the path."""

from fieldguide.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
