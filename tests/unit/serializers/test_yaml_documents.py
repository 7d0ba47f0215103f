from __future__ import annotations

import pytest

from localplane.apimachinery.serializers import Document, JSONSyntaxError, YAMLError, parse_yaml_documents


def documents(data: str | bytes) -> list[Document]:
    return list(parse_yaml_documents(data))


def test_lines_of_dashes_divide_documents_and_empty_ones_are_left_out() -> None:
    text = "a: 1\n---\n# only a comment\n---\n\n--- # with a remark\r\nb: 2\r\n---\n"
    assert documents(text) == [Document({"a": 1}, 1), Document({"b": 2}, 7)]


def test_a_document_starts_with_the_dashes_before_it_when_nothing_else_is_there() -> None:
    assert documents("---\na: 1\n---\nb: 2\n") == [Document({"a": 1}, 1), Document({"b": 2}, 4)]


def test_lines_in_a_fault_count_from_the_document() -> None:
    stream = parse_yaml_documents("a: 1\n---\nb: 2\nc: d: e\n")
    assert next(stream).value == {"a": 1}
    with pytest.raises(YAMLError, match=r"^yaml: line 2: mapping values are not allowed in this context$"):
        next(stream)


def test_text_after_the_dashes_is_refused() -> None:
    with pytest.raises(YAMLError, match=r"^invalid Yaml document separator: bar$"):
        documents("a: 1\n--- bar\nx: 1\n")


def test_json_may_follow_json() -> None:
    assert documents('{"a":1}\n {"b":2}{"c":3}\n') == [
        Document({"a": 1}, 1),
        Document({"b": 2}, 2),
        Document({"c": 3}, 2),
    ]


def test_what_begins_like_json_may_be_yaml_after_all() -> None:
    assert documents("{a: 1}\n---\nb: 2\n") == [Document({"a": 1}, 1), Document({"b": 2}, 3)]
    assert documents('{"a":1}\n---\nb: 2\n') == [Document({"a": 1}, 1), Document({"b": 2}, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":', "unexpected EOF"),
        ('{"a" 1}', "json: offset 6: invalid character '1' after object key"),
        ('{"a":1} x: y: z', "json: offset 9: invalid character 'x' looking for beginning of value"),
        ('{"a":1}{"b":2} x', "json: offset 16: invalid character 'x' looking for beginning of value"),
        ("{a: b: c}", "json: offset 2: invalid character 'a' looking for beginning of object key string"),
    ],
)
def test_what_is_neither_has_the_fault_that_json_finds(text: str, message: str) -> None:
    with pytest.raises(JSONSyntaxError) as fault:
        documents(text)
    assert str(fault.value) == message


def test_duplicates_are_reported_for_each_document() -> None:
    found = list(parse_yaml_documents("a: 1\n---\nb: 2\nb: 3\n", find_duplicates=True))
    assert [document.duplicates for document in found] == [(), ('line 2: key "b" already set in map',)]
    (found_json,) = parse_yaml_documents('{"b":2,"b":3}', find_duplicates=True)
    assert found_json.duplicates == ('duplicate field "b"',)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_what_a_file_is(encoding: str) -> None:
    assert documents("k: é\n".encode(encoding)) == [Document({"k": "é"}, 1)]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert documents(b"k: \xff\n") == [Document({"k": "\ufffd"}, 1)]
