"""`kctl validate`: would a server take these objects? Its own code answers, in this process and without a socket.

    sources      files and directories -> texts
    documents    texts -> documents -> objects, each with its place
    positions    from a field's path to its line and column
    validator    objects -> findings: definitions, namespaces and policies first, then all others as a dry run
    refusals     what a server says no with -> findings
    findings     what is wrong, or should be known, and where
    formats      findings for people, for programs (json, sarif) and for GitHub's annotations

Only the validator imports the server, and only when it runs. Nothing here writes a file or opens a connection.
"""
