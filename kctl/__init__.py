"""kctl: kubectl's verbs, and the command that starts a local control plane.

    cli        the entry point, and the one printer of errors      commands/       the verbs, one file each
    changes/, views/, streaming/   what verbs consist of           completion/     what a shell is offered
    objects/   from words and files to objects                     session/        what a verb works with
    printers/  objects as text                                     kustomize/      -k
    command_line/   flags, help, kuberc, plugins                   guides/         how to do what, as Markdown
    ui/        the console in the browser                          errors, lazy, program   under all of it

This file is imported by every command, so it holds the version and nothing else.
"""

from localplane import __version__ as __version__
