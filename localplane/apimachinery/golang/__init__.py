"""What Go does and Python does otherwise: Kubernetes' messages, patterns and templates are made by it.

- `text`        how Go prints values: its quotes, its JSON, its numbers
- `sources`     lines of Go's sources that messages name
- `template/`   Go's templates
- `regexps/`    Go's regular expressions, in linear time

Everybody may use it. Nothing here knows an object of the API.
"""
