"""What expressions mean. Every line was answered by Kubernetes' own environment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.cel import (
    CompilationFailed,
    CostExceeded,
    EvaluationError,
    InstantiationFailed,
    base_environment,
    checked,
    dynamic,
)
from localplane.apimachinery.cel.types import DYN


def evaluated(text: str, value: Any = None) -> tuple[Any, int]:
    environment = base_environment().with_variables({"self": DYN})
    program = checked(text, environment).program(environment)
    return program.evaluate({"self": dynamic(value)})


TRUE = {
    "numbers": (
        "5 / 2 == 2 && -5 / 2 == -2 && -5 % 3 == -2",
        "dyn(1) == 1u && dyn(1u) == 1.0 && 1 < 1.5 && 2u > 1 && dyn(1) == 1.0 && dyn(true) != 1",
        "0xFFu == 255u && 0x10 == 16 && 1e3 == 1000.0 && .5 == 0.5",
        "0.0/0.0 != 0.0/0.0",
        "!!true && !!!false && --1 == 1 && - 1 - -1 == 0",
        "int(3.9) == 3 && int(-3.9) == -3 && int('+5') == 5 && double('1_000') == 1000.0 && double('0x1p-2') == 0.25",
        "string(1e6) == '1e+06' && string(123456789.0) == '1.23456789e+08' && string(0.5) == '0.5'",
    ),
    "texts": (
        "'\\u00e9\\x41\\101\\n' == 'éAA\\n' && r'a\\n' == 'a\\\\n' && '''a'b''' + \"\"\"c\"d\"\"\" == 'a\\'bc\"d'",
        "b'a' + b'\\xff' == b'a\\377' && bytes('é').size() == 2 && 'é'.size() == 1",
        "'aXbX'.lowerAscii() == 'axbx' && 'é b '.upperAscii().trim() == 'é B'",
        "'abcabc'.lastIndexOf('bc') == 4 && 'abcabc'.lastIndexOf('bc', 2) == 1 && 'abc'.indexOf('c', 1) == 2",
        "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b'] && 'abc'.split('', 2) == ['a', 'bc']",
        "'aaa'.replace('a', 'b', 2) == 'bba' && ['a', 'b'].join('-') == 'a-b' && 'abc'.substring(1, 2) == 'b'",
        "'abc 123 45'.findAll('[0-9]*') == ['', '', '', '', '123', '45'] && 'a12'.find('[0-9]+') == '12'",
        "'%x %X %o %b %b'.format([255, 'hi', 8, 5, true]) == 'ff 6869 10 101 1'",
        "'%s'.format([[1.5, 'a', null, duration('1s')]]) == '[1.500000, \"a\", null, duration(\"1s\")]'",
        "'%s'.format([{'b': 1, 'a': [true]}]) == '{\"a\":[true], \"b\":1}'",
        "'%f %.1f'.format([1234567.891, 2.25]) == '1,234,567.891000 2.2'",
        "'%e'.format([3.14]) == '3.140000\u00d710⁰⁰'",
        "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'",
    ),
    "lists and maps": (
        "[1, 2, 3].map(x, x * 2) == [2, 4, 6] && [1, 2].map(x, x > 1, x) == [2] && [1, 2].filter(x, x > 1) == [2]",
        "[1, 2].exists(i, v, i == 1 && v == 2) && {'a': 1}.all(k, v, k == 'a' && v == 1)",
        "[1, 2].existsOne(i, v, v == 2) && [1, 2].exists_one(x, x == 2)",
        "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1) == {'b': 3} && [1, 2].transformList(i, v, i * v) == [0, 2]",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
        "[3, 1, 2].sort() == [1, 2, 3] && [{'n': 2}, {'n': 1}].sortBy(x, x.n)[0].n == 1 && [1, 1].distinct() == [1]",
        "[[[1], [2]], [[3]]].flatten(2) == [1, 2, 3] && lists.range(3) == [0, 1, 2] && [1, 2, 3].slice(1, 2) == [2]",
        "[1, 2, 3].sum() + [1, 2].max() + [4, 3].min() == 11 && [1, 2].isSorted() && ['a', 'b'].indexOf('b') == 1",
        "sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])",
        "[1, 2].includes(2) && 'a'.includes('a') && [1, 2].first().value() == 1 && 1 in [1, 2] && 'a' in {'a': 1}",
        "has({'a': 1}.a) && !has({'a': 1}.b) && {'a': 1}.size() == 1",
    ),
    "errors that don't matter": (
        "[0, 1].exists(x, 4 / x > 3) && true || 1 / 0 > 0",
        "!([1, 0].all(x, 4 / x > 4))",
        "(1 / 0 > 0 || true) && !(1 / 0 > 0 && false)",
    ),
    "optionals": (
        "{'a': {'b': 4}}.?a.?b.orValue(3) == 4 && {}.?a.?b.orValue(3) == 3 && optional.of({'a': 1}).a.value() == 1",
        "[1, 2][?5].orValue(7) == 7 && !{'a': 1}[?'b'].hasValue() && optional.none().or(optional.of(2)).value() == 2",
        "optional.of(4).optMap(x, x + 1).value() == 5 && !optional.none().optMap(x, x + 1).hasValue()",
        "[?optional.none(), ?optional.of(1)] == [1] && {?'a': optional.none(), 'b': 1} == {'b': 1}",
        "optional.ofNonZeroValue('') == optional.none() && [optional.of(1), optional.none()].unwrapOpt() == [1]",
    ),
    "times": (
        "timestamp('2020-01-01T00:00:00Z').getDayOfWeek('America/New_York') == 2",
        "timestamp('2020-01-01T00:00:00Z').getHours('+05:30') == 5 && duration('-3730s').getHours() == -1",
        "timestamp('2020-01-01T00:00:00Z') - timestamp('2019-01-01T00:00:00Z') == duration('8760h')",
        "string(duration('1h1m1.5s')) == '3661.5s'",
        "string(timestamp('2020-01-01T00:00:00.123456789+02:00')) == '2020-01-01T00:00:00.123456789+02:00'",
    ),
    "libraries": (
        "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('1.5').compareTo(quantity('1500m')) == 0",
        "!quantity('1.5Gi').isInteger() && quantity('2Gi').asInteger() == 2147483648 && sign(quantity('-1')) == -1",
        "url('https://user:pass@example.com:80/path with?k=v&k=w#frag').getEscapedPath() == '/path%20with'",
        "url('https://a/?k=v&k=w%20x').getQuery() == {'k': ['v', 'w x']}",
        "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getHost() == '[::1]:80'",
        "isURL('/a') && isURL('http://a') && !isURL('a') && url('https://x:8080/').getPort() == '8080'",
        "semver('1.2.3-alpha.1+b').compareTo(semver('1.2.3')) == -1 && semver('v1.02', true) == semver('1.2.0')",
        "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && ip('fe80::1').isLinkLocalUnicast()",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
        "string(cidr('2001:db8::/32').ip()) == '2001:db8::' && !ip.isCanonical('2001:DB8::1')",
        "!format.dns1123Label().validate('abc').hasValue() && format.uuid().validate('x').value().size() == 1",
        "format.named('x') == optional.none()",
    ),
    "types": (
        "type(1) == int && type([]) == list && type(null) == null_type && type(type(1)) == type",
        "type(ip('::1')) == net.IP && type({}) == map",
    ),
}


@pytest.mark.parametrize("text", [each for group in TRUE.values() for each in group])
def test_this_is_true(text: str) -> None:
    assert evaluated(text)[0] is True


FAILURES = {
    "1 / 0": "division by zero",
    "5 % 0": "modulus by zero",
    "9223372036854775807 + 1": "integer overflow",
    "1u - 2u": "unsigned integer overflow",
    "0.0 / 0.0 < 1.0": "NaN values cannot be ordered",
    "self.a.b": "no such key: a",
    "{'a': 1}['b']": "no such key: b",
    "[1][5]": "index out of bounds: 5",
    "dyn([1])['a']": "unsupported index type 'string' in list",
    "dyn(1) + dyn('a')": "no such overload",
    "dyn([1]) < dyn('a')": "no such overload: _<_",
    "size(dyn(1))": "no such overload: size",
    "dyn(1).lowerAscii()": "no such overload: lowerAscii(int)",
    "dyn('x').charAt(dyn('y'))": "no such overload: charAt(string, string)",
    "dyn(1).all(x, x)": "got 'types.Int', expected iterable type",
    "[1, 2, 0].all(x, 4 / x > 0)": "division by zero",
    "[].min()": "min called on empty list",
    "optional.none().value()": "optional.none() dereference",
    "'abc'.substring(5)": "index out of range: 5",
    "{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k})": "insert failed: key 1 already exists",
    "quantity('abc')": "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    "url('https://a:b:c/')": (
        'URL parse error during conversion from string: parse "https://a:b:c/": invalid port ":b:c" after host'
    ),
    "ip('1.2.3.256')": (
        'IP Address "1.2.3.256" parse error during conversion from string: ParseAddr("1.2.3.256"): IPv4 field has'
        " value >255"
    ),
    "ip('::ffff:1.2.3.4')": 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed',
    "semver('1.2')": "No Major.Minor.Patch elements found",
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')": "timestamp overflow",
    "timestamp('2020-01-01T00:00:00Z').getHours('Foo/Bar')": "unknown time zone Foo/Bar",
}


@pytest.mark.parametrize(("text", "message"), FAILURES.items())
def test_this_fails_when_it_is_evaluated(text: str, message: str) -> None:
    value, _ = evaluated(text, {})
    assert isinstance(value, EvaluationError)
    assert str(value) == message


INSTANTIATION = {
    "int('abc')": "type conversion error from 'string' to 'int'",
    "int(1e30)": "integer overflow",
    "string(dyn([1]))": "no such overload: string(list)",
    "'abc'.find('[')": "error parsing regexp: missing closing ]: `[`",
}


@pytest.mark.parametrize(("text", "message"), INSTANTIATION.items())
def test_a_constant_part_that_fails_is_no_program(text: str, message: str) -> None:
    with pytest.raises(InstantiationFailed) as raised:
        evaluated(text)
    assert str(raised.value) == message


def test_objects_without_a_schema_are_maps() -> None:
    assert evaluated("self.a.b[1] == 2 && !has(self.c) && self.all(k, k == 'a')", {"a": {"b": [1, 2]}})[0] is True


@given(st.text(max_size=60))
def test_no_text_breaks_the_compiler(text: str) -> None:
    _survive(text)


_PIECES = [
    *[
        "self",
        "x",
        "1",
        "1u",
        "2.5",
        "'s'",
        "b'y'",
        "true",
        "null",
        "==",
        "!=",
        "<",
        "&&",
        "||",
        "!",
        "-",
        "+",
        "*",
        "/",
    ],
    *[
        "%",
        "in",
        "?",
        ":",
        ".",
        ",",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        " ",
        "has(",
        ".all(x, ",
        ".map(x, ",
        ".size()",
        "\n",
    ],
    *["type(", "dyn(", "optional.of(", ".?a", "[?0]", ".format([", "`a-b`", "'''", "\\", "@", "size(", ".sortBy(x, x)"],
]


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_no_row_of_tokens_breaks_anything(text: str) -> None:
    _survive(text)


def _survive(text: str) -> None:
    """Whatever it is: it compiles and evaluates, or it is refused."""
    try:
        value, cost = evaluated(text, {"a": [1, "b", {"c": None}]})
    except (CompilationFailed, InstantiationFailed, CostExceeded):
        return
    assert cost >= 0
    assert not isinstance(value, EvaluationError) or str(value)
