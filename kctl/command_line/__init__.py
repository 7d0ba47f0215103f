"""How words become a command: the table of verbs, flags by pflag's rules, help, preferences, plugins.

    verbs           which verb lives where              command         what a verb is: words, flags, help, function
    flags           reading a command line              global_flags, standard_flags   flags that all, or many, have
    help_pages      what --help shows                   preferences/    kuberc: aliases and defaults of one's own
    plugins         programs that are verbs too         usage           what is said of words that make no sense
    advice          what a person is told after an error
    colours, pager, json_errors, klog, profile          how answers are told: --color, --pager, --error-format, -v ...

`kctl.cli` calls it, and verbs declare themselves with it. Nothing here knows a server.
"""
