"""What `--help` shows, for every verb in the same form: what it does, how it is called, examples, flags.

    layout     from a page to text that fits the terminal        commands   verbs that are declared as data
    root       `kctl --help`                                     own_verbs  verbs that are declared with Typer

Imported when somebody asks for help, or needs it.
"""

from .commands import help_text, options_text

__all__ = ["help_text", "options_text"]
