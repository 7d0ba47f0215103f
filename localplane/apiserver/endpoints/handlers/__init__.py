"""One file per verb: decode, admit, call the registry, answer. The installer puts them on paths; they raise APIErrors
and never touch HTTP beyond Request and Response."""
