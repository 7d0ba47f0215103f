"""The functions of Kubernetes' expressions, one file per topic, as tuples of declarations.

`functions` puts them together; the compiler calls what they declare. Arguments were checked before a function is
called: by the type checker, or where types are dynamic by the dispatch. Nothing here does I/O.

Beside these:

    addresses        reading IP addresses with Go's messages
    authorization    questions to the authorizer
    conversions      int(), string() and their like
    lists            functions on lists
    named_formats    named formats: `format.dns1123Label().validate(text)`
    network          IP addresses and networks
    operators        operators as functions
    optionals        optional values, and maps that comprehensions build
    patterns         regular expressions
    quantities       quantities
    semver           versions
    string_format    string.format
    strings          functions on text
    times            parts of timestamps and durations
    urls             URLs, read as Go's net/url reads them
    value_text       how cel-go prints values in its messages: Go's %v of them
"""
