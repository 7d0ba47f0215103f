"""What a body can be refused for.

    SerializationError
    ├── JSONSyntaxError     not JSON; the message is Go's
    ├── JSONValueError      JSON, but with a number that no float can hold
    ├── NotAnObject         JSON that can have no kind: an array, a number, a kind that is no text
    ├── ProtobufError       not the message that it should be; the words are those of Go's generated code
    └── YAMLError           not YAML, or YAML that can't become JSON; the message is Go's
        └── BadSeparator    three dashes between documents, with something behind them

Nothing else leaves this package, whatever the bytes are. Endpoints make a BadRequest of them.
"""

from __future__ import annotations


class SerializationError(ValueError):
    """The root; never raised itself."""


class JSONSyntaxError(SerializationError):
    """`offset` is how many bytes had been read when the fault was seen."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class JSONValueError(SerializationError):
    pass


class NotAnObject(SerializationError):
    pass


class ProtobufError(SerializationError):
    pass


class YAMLError(SerializationError):
    pass


class BadSeparator(YAMLError):
    pass
