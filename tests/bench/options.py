"""What both programs can be told on their command line."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(program: str, description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--rounds", type=_positive, help="how often everything is measured")
    made.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    made.add_argument("--json", type=Path, metavar="OUT", help="also write the figures there")
    return made


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one round is needed")
    return number
