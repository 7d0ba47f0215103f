"""What `up` and its companions say no with. Whoever prints them puts `error: ` before the sentence."""

from __future__ import annotations


class PlaneError(Exception):
    """A sentence that says what is wrong and what to do."""


class AlreadyUp(PlaneError):
    """The name is taken by a plane that runs."""


class NotUp(PlaneError):
    """There is no such plane, or it does not run."""


class OptionsContradict(PlaneError):
    """The command line asks for two things that can't be had together, or for one that does not exist."""


class CommandNotFound(PlaneError):
    """What should run beside a plane can't. `exit_code` is what a shell would give for it."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
