"""Whether a test would notice that a flag does nothing.

`make mutants` runs, for every flag of every verb, the end-to-end tests that give it, against a kctl that reads that
flag and forgets it. One of them has to fail, or nobody would see it if the flag were ignored.

`command_lines` reads a command line and takes a flag out of it; `forgetful` is the kctl that does so, and that notes
which test gave which flags; `tests_again` is the part of pytest that runs tests once per flag; `__main__` puts them
together and prints the table. Nothing in kctl knows of it.
"""
