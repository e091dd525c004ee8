"""`python -m fieldguide`: the command line, where the script is not on the path.

Python puts the current folder first on the path then. That may be a strange clone, so it is taken off before anything
else is imported. A clone with a folder `fieldguide` of its own would be found before us, though: `python -P -m` or the
script `fieldguide` looks in no such folder.
"""

import os
import sys

_HERE = (os.path.realpath(os.getcwd()), "")
sys.path[:] = [folder for folder in sys.path if folder and os.path.realpath(folder) not in _HERE]

from fieldguide.cli.main import main  # noqa: E402  only now

if __name__ == "__main__":
    raise SystemExit(main())
