"""`kctl apply -f`: files, directories, URLs, stdin, and all that may be wrong with them."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_VALIDATION = "; if you choose to ignore these errors, turn validation off with --validate=false\n"


def _config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


@contextmanager
def _serving(pages: dict[str, tuple[int, str]]) -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, text = pages.get(self.path, (404, ""))
            self.send_response(code)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_directory_is_read_in_order_and_with_R_those_inside_of_it(desk: Desk) -> None:  # noqa: N802 - the flag
    desk.write("d/b.yml", _config_map("b"))
    desk.write("d/a.json", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}')
    desk.write("d/c.txt", _config_map("not-read"))
    desk.write("d/e/d.yaml", _config_map("d"))
    assert desk.run("apply", "-f", "d") == Outcome(0, "configmap/a created\nconfigmap/b created\n", "")
    assert desk.run("apply", "-Rf", "d").stdout == "configmap/a unchanged\nconfigmap/b unchanged\nconfigmap/d created\n"
    matched = desk.run("apply", "-f", "d/[a-b].*", "-o", "name")
    assert matched == Outcome(0, "configmap/a\nconfigmap/b\n", "")
    assert desk.run("apply", "-f", "d/*.nope") == Outcome(1, "", 'error: the path "d/*.nope" does not exist\n')
    bad = desk.run("apply", "-f", "d/[")
    assert bad == Outcome(1, "", 'error: pattern "d/[" is not valid: syntax error in pattern\n')


def test_a_kustomization_is_applied(desk: Desk) -> None:
    desk.write("k/a.yaml", _config_map("a"))
    desk.write("k/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: my-\n")
    assert desk.run("apply", "-k", "k") == Outcome(0, "configmap/my-a created\n", "")


def test_documents_lists_and_json_one_after_another(desk: Desk) -> None:
    text = f"# first\n---\n{_config_map('a')}---\n# nothing\n---\napiVersion: v1\nkind: ConfigMapList\nitems:\n"
    text += "- metadata: {name: b}\n- metadata: {name: c}\n"
    made = "".join(f"configmap/{name} created\n" for name in "abc")
    assert desk.run("apply", "-f", "-", stdin=text) == Outcome(0, made, "")
    several = "".join(f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}}}\n' for name in "xz")
    assert desk.run("apply", "-f", "-", stdin=several).stdout == "configmap/x created\nconfigmap/z created\n"


def test_only_objects_with_the_right_labels_are_applied(desk: Desk) -> None:
    text = "".join(f"{_config_map(name).rstrip()[:-1]}, labels: {{t: {name}}}}}\n---\n" for name in "ab")
    assert desk.run("apply", "-f", "-", "-l", "t=b", stdin=text) == Outcome(0, "configmap/b created\n", "")
    none = desk.run("apply", "-f", "-", "-l", "t=c", stdin=text)
    assert none == Outcome(1, "", "error: no objects passed to apply\n")


def test_a_url_is_read(desk: Desk) -> None:
    with _serving({"/a.yaml": (200, _config_map("a"))}) as url:
        assert desk.run("apply", "-f", f"{url}/a.yaml") == Outcome(0, "configmap/a created\n", "")
        assert desk.run("apply", "-f", f"{url}/b.yaml") == Outcome(
            1, "", f'error: unable to read URL "{url}/b.yaml", server reported 404 Not Found, status code=404\n'
        )
    assert desk.run("apply", "-f", "http://%zz/") == Outcome(
        1,
        "",
        'error: the URL passed to filename "http://%zz/" is not valid: parse "http://%zz/": invalid URL escape "%zz"\n',
    )


def test_a_fault_in_a_file_is_told_with_its_line_and_the_rest_is_applied(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    desk.write("b.yaml", "apiVersion: v1\nkind: [\n")
    desk.write("c.yaml", "apiVersion: v1\nmetadata: {name: c}\n")
    assert desk.run("apply", "-f", ".") == Outcome(
        1,
        "configmap/a created\n",
        "error parsing b.yaml: error converting YAML to JSON: yaml: line 2: did not find expected node content\n"
        f'error validating "c.yaml": error validating data: kind not set{_VALIDATION}',
    )


_NOT_YAML = "error parsing STDIN: error converting YAML to JSON: yaml: "
_INVALID = 'error validating "STDIN": error validating data: '
_NO_OBJECT = 'unable to decode "STDIN": json: cannot unmarshal '
_OTHER = (
    'the namespace from the provided object "other" does not match the namespace "<ns>". You must pass '
    "'--namespace=other' to perform this operation.\n"
)
_UNKNOWN = (
    'resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "Nope" in version "v1"\n'
    "ensure CRDs are installed first\n"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b: c\n", f"{_NOT_YAML}mapping values are not allowed in this context\n"),
        ("a:\n\tc: d\n", f"{_NOT_YAML}line 2: found character that cannot start any token\n"),
        ("--- foo\na: b\n", "error parsing STDIN: invalid Yaml document separator: foo\n"),
        ("%YAML 1.2\n---\na: b\n", f"{_NOT_YAML}found incompatible YAML document\n"),
        ('{"a": "b"', "error parsing STDIN: unexpected EOF\n"),
        ("a: b\n", f"{_INVALID}[apiVersion not set, kind not set]{_VALIDATION}"),
        ("[]\n", f"{_INVALID}invalid object to validate{_VALIDATION}"),
        ("apiVersion: a/b/c\nkind: X\n", f"{_INVALID}unexpected GroupVersion string: a/b/c{_VALIDATION}"),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5}\n",
            f"{_NO_OBJECT}number into Go struct field ObjectMeta.metadata.name of type string\n",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: [a]\n",
            f"{_NO_OBJECT}array into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta\n",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n",
            "from a-: cannot use generate name with apply\n",
        ),
        ("apiVersion: v1\nkind: Nope\nmetadata: {name: a}\n", _UNKNOWN),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: other}\n", _OTHER),
        ("", "no objects passed to apply\n"),
    ],
)
def test_what_is_wrong_with_a_document_is_told_in_kubectls_words(desk: Desk, text: str, said: str) -> None:
    assert desk.run("apply", "-f", "-", stdin=text) == Outcome(1, "", f"error: {said}")


def test_the_fields_of_a_list_are_checked_before_anything_is_sent(desk: Desk) -> None:
    items = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  dta: {}\n- kind: Secret\n"
    done = desk.run("apply", "-f", "-", stdin=f"apiVersion: v1\nkind: List\nitems:\n{items}")
    assert done == Outcome(
        1,
        "",
        'error: error validating "STDIN": error validating data: [ValidationError(ConfigMap): unknown field "dta" in '
        f"io.k8s.api.core.v1.ConfigMap, apiVersion not set]{_VALIDATION}",
    )


def test_scalars_mean_what_they_mean_to_go(desk: Desk) -> None:
    values = "12:30:45, 2024-01-01, 0o17, 08, 1e3, y, off, 0x1F, 1_000, ~, 1.0, 9223372036854775808"
    text = f"{_config_map('a')}data: [{values}]\n"
    done = desk.run("apply", "-f", "-", "--validate=false", "--dry-run=client", "-o", "jsonpath={.data}", stdin=text)
    assert done == Outcome(0, '["12:30:45","2024-01-01",15,8,1000,true,false,31,1000,null,1,9223372036854776000]', "")
