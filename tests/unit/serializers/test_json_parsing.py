"""What is JSON and what it means. The fast parser and the patient one must agree on every body."""

from __future__ import annotations

import pytest

from localplane.apimachinery.serializers import JSONSyntaxError, JSONValueError, number_text, parse_json
from localplane.apimachinery.serializers.json import parse_json_stream
from localplane.apimachinery.serializers.json_scanner import Scanner

# What Go's encoding/json says to each of these.
FAULTS = [
    (b"", "unexpected end of JSON input", 0),
    (b"  \n", "unexpected end of JSON input", 3),
    (b"{", "unexpected end of JSON input", 1),
    (b'{"metadata":', "unexpected end of JSON input", 12),
    (b'"abc', "unexpected end of JSON input", 4),
    (b"[1", "unexpected end of JSON input", 2),
    (b"{} {}", "invalid character '{' after top-level value", 4),
    (b'{"a":1}}', "invalid character '}' after top-level value", 8),
    (b"01", "invalid character '1' after top-level value", 2),
    (b'{"a":NaN}', "invalid character 'N' looking for beginning of value", 6),
    (b"Infinity", "invalid character 'I' looking for beginning of value", 1),
    (b"-Infinity", "invalid character 'I' in numeric literal", 2),
    (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value", 1),
    (b"\xff\xfe{\x00}\x00", "invalid character 'ÿ' looking for beginning of value", 1),
    (b"'a'", "invalid character '\\'' looking for beginning of value", 1),
    (b"\x00", "invalid character '\\x00' looking for beginning of value", 1),
    (b"\x80", "invalid character '\\u0080' looking for beginning of value", 1),
    (b"[1,]", "invalid character ']' looking for beginning of value", 4),
    (b'{"a":1,}', "invalid character '}' looking for beginning of object key string", 8),
    (b"{1:2}", "invalid character '1' looking for beginning of object key string", 2),
    (b'{"a" 1}', "invalid character '1' after object key", 6),
    (b'{"a":1 "b":2}', "invalid character '\"' after object key:value pair", 8),
    (b"[1 2]", "invalid character '2' after array element", 4),
    (b"[1}", "invalid character '}' after array element", 3),
    (b"-", "invalid character ' ' in numeric literal", 1),
    (b"[-x]", "invalid character 'x' in numeric literal", 3),
    (b"1.", "invalid character ' ' after decimal point in numeric literal", 2),
    (b"[1.x]", "invalid character 'x' after decimal point in numeric literal", 4),
    (b"1e", "invalid character ' ' in exponent of numeric literal", 2),
    (b"[1e+]", "invalid character ']' in exponent of numeric literal", 5),
    (b"tru", "invalid character ' ' in literal true (expecting 'e')", 3),
    (b"[falsy]", "invalid character 'y' in literal false (expecting 'e')", 6),
    (b"nil", "invalid character 'i' in literal null (expecting 'u')", 2),
    (b'"a\nb"', "invalid character '\\n' in string literal", 3),
    (b'"a\\x"', "invalid character 'x' in string escape code", 4),
    (b'"a\\', "invalid character ' ' in string escape code", 3),
    (b'"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", 6),
    (b"[" * 10_001, "invalid character '[' exceeded max depth", 10_001),
    (b'{"a":' * 10_001, "invalid character '{' exceeded max depth", 50_001),
    (b'["\xff", x]', "invalid character 'x' looking for beginning of value", 7),
    (b'{"a":[1e400,}', "invalid character '}' looking for beginning of value", 13),
]


@pytest.mark.parametrize(("body", "message", "offset"), FAULTS)
def test_a_fault_has_the_words_and_the_place_that_go_has_for_it(body: bytes, message: str, offset: int) -> None:
    with pytest.raises(JSONSyntaxError) as fault:
        parse_json(body)
    assert (str(fault.value), fault.value.offset) == (message, offset)


@pytest.mark.parametrize(
    "before", [b'[{"a":["]",{}]},', b'{"x":{"}":[1,{"y":"\\""}]},"z":', b'["\xc3\xa9\xff","\\ud800",']
)
@pytest.mark.parametrize("fault", [b"", b",", b"x", b'"', b'"\\q"', b"1.", b"tru", b"]", b"}", b":", b"\xff", b"1 1"])
def test_a_fault_is_the_same_wherever_the_search_for_it_starts(before: bytes, fault: bytes) -> None:
    with pytest.raises(JSONSyntaxError) as fast:
        parse_json(before + fault)
    with pytest.raises(JSONSyntaxError) as patient:
        Scanner(before + fault).document()
    assert (str(fast.value), fast.value.offset) == (str(patient.value), patient.value.offset)


@pytest.mark.parametrize("body", [b"1e400", b"[-1e400]", b"1" * 5000, b'{"a":[1,1e309]}'])
def test_a_number_that_no_float_holds_is_refused(body: bytes) -> None:
    text = body.strip(b"[]").rpartition(b",")[2].strip(b"]}").decode()
    with pytest.raises(JSONValueError) as fault:
        parse_json(body)
    assert str(fault.value) == f"json: cannot unmarshal number {text} into Go value of type float64"


def test_whole_numbers_are_exact_up_to_64_bits_and_floats_beyond() -> None:
    assert parse_json(b"[9223372036854775808, -9223372036854775808]").value == [2**63, -(2**63)]
    assert parse_json(b"[18446744073709551616]").value == [float(2**64)]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'"\xff"', "\ufffd"),
        (b'"\xe2\x82x"', "\ufffd\ufffdx"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"\\ud800"', "\ufffd"),
        (b'"\\udc00\\ud800"', "\ufffd\ufffd"),
        (b'"\\ud800\\u0041"', "\ufffdA"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"\\ud83d\\ude00\xff"', "\N{GRINNING FACE}\ufffd"),
        (b'"\\u0000"', "\0"),
    ],
)
def test_text_that_is_no_unicode_is_replaced_byte_by_byte(body: bytes, text: str) -> None:
    assert parse_json(body).value == text
    assert Scanner(body).document() == text


def test_ten_thousand_levels_are_read() -> None:
    value = parse_json(b"[" * 10_000 + b"]" * 10_000, find_duplicates=True).value
    depth = 0
    while value:
        (value,) = value
        depth += 1
    assert depth == 9_999


def test_a_deep_document_is_read_with_all_that_is_in_it() -> None:
    body = b'{"a":' * 2000 + b'{"k":[1,true,null,"x\\n"],"k":2.5}' + b"}" * 2000
    parsed = parse_json(body, find_duplicates=True)
    assert parse_json(body).duplicates == ()
    value = parsed.value
    for _ in range(2000):
        value = value["a"]
    assert value == {"k": 2.5}
    assert parsed.duplicates == (f'duplicate field "{"a." * 2000}k"',)


def test_values_that_follow_one_another_are_read_one_by_one() -> None:
    assert list(parse_json_stream(b'{"a":1} [2]\n3 ')) == [({"a": 1}, 7), ([2], 11), (3, 13)]


def test_a_number_can_be_had_as_it_was_written() -> None:
    body = b'{"metadata":{"generation":1e3},"l":[0.10]}'
    assert number_text(body, ("metadata", "generation")) == "1e3"
    assert number_text(body, ("l", 0)) == "0.10"
    with pytest.raises(LookupError):
        number_text(body, ("l",))
