"""Kubeconfigs that are read without a YAML library: the same as with one, or not at all."""

from __future__ import annotations

import base64
from random import Random

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.client.kubeconfig.plain import parse_plain

USUAL = b"""\
# written by a tool
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTg==
    server: https://127.0.0.1:6443
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    namespace: ""
    user: 'kind-kind'
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {}
users:
  - name: kind-kind
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        args:
        - get-token
        - "--cluster=a b"
        env: null
        provideClusterInfo: false
        interactiveMode: IfAvailable
  - name: empty
    user:
"""


@pytest.mark.parametrize("text", [USUAL, b'{"kind": "Config", "users": []}', b"kind: Config\nclusters: []\n"])
def test_what_is_read_is_what_the_whole_parser_reads(text: bytes) -> None:
    assert parse_plain(text) == parse_yaml(text).value


BEYOND = [
    b"",
    b"- a\n",
    b"a: 12\n",
    b"a: 0x1F\n",
    b"a: yes\n",
    b"a: No\n",
    b"a: ~\n",
    b"a: b c\n",
    b"a: b # c\n",
    b'a: "\\n"\n',
    b"a: 'it''s'\n",
    b"a: |\n  text\n",
    b"a: &x b\n",
    b"a: *x\n",
    b"a: !!str b\n",
    b"a: {b: c}\n",
    b"a: [b]\n",
    b"a:\tb\n",
    b"a: b\na: c\n",
    b"a: b\n  c: d\n",
    b"a:\n    b: c\n  d: e\n",
    b"  a: b\n",
    b"on: x\n",
    b"a: b:\n",
    b"---\na: b\n",
    "a: \xe9\n".encode(),
    b"<<: x\n",
    b"{a: b}",
    b"[1]",
]


@pytest.mark.parametrize("text", BEYOND)
def test_what_could_mean_something_else_is_left_to_the_whole_parser(text: bytes) -> None:
    assert parse_plain(text) is None


def test_tokens_may_begin_with_anything() -> None:
    chance = Random(7)
    for _ in range(300):
        token = base64.urlsafe_b64encode(chance.randbytes(32)).rstrip(b"=")
        text = b"token: " + token + b"\n"
        assert parse_plain(text) == {"token": token.decode()} == parse_yaml(text).value


@pytest.mark.parametrize(
    "text", [b"-inf", b"1e5", b"0xbeef", b"12:30:45", b"2001-01-01T00:00:00Z", b"1_000", b"0b1", b"-"]
)
def test_what_may_be_a_number_or_a_time_is_not_taken_for_a_word(text: bytes) -> None:
    assert parse_plain(b"a: " + text + b"\n") is None
