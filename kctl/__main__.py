"""`python -m kctl`, for where the installed command is not on PATH."""

import sys

from kctl.cli import main

sys.exit(main())
