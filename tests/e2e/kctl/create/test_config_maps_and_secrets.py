"""`kctl create configmap` and `create secret`: what is made of files, values and env files."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk

FILES = {
    "dir/one": "1\n",
    "dir/two.txt": "two\n",
    "dir/sub/three": "3\n",
    "text": "hello\n",
    "app.env": "# settings\nA=1\n  B=two words\nC=\nHOME_OF_MINE\n",
    "bad.env": "1A=2\n",
    "docker.json": '{"auths":{"x":{"auth":"eA=="}}}\n',
}


@pytest.fixture(scope="module")
def files(maker: Desk) -> Desk:
    for name, text in FILES.items():
        maker.write(name, text)
    return maker


MADE = [
    (
        "create configmap c",
        """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-literal=a=b --from-literal=c=d=e --from-literal=empty=",
        """\
apiVersion: v1
data:
  a: b
  c: d=e
  empty: ""
kind: ConfigMap
metadata:
  name: c
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-file=text --from-file=other=text",
        """\
apiVersion: v1
data:
  other: |
    hello
  text: |
    hello
kind: ConfigMap
metadata:
  name: c
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-file=dir",
        """\
apiVersion: v1
data:
  one: |
    1
  two.txt: |
    two
kind: ConfigMap
metadata:
  name: c
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-env-file=app.env",
        """\
apiVersion: v1
data:
  A: "1"
  B: two words
  C: ""
  HOME_OF_MINE: ""
kind: ConfigMap
metadata:
  name: c
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-literal=a=b --append-hash",
        """\
apiVersion: v1
data:
  a: b
kind: ConfigMap
metadata:
  name: c-m4h6ctkgb2
  namespace: <ns>
""",
    ),
    (
        "create cm c --from-literal=a=<&> --save-config",
        (
            "apiVersion: v1\n"
            "data:\n"
            "  a: <&>\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            "  annotations:\n"
            "    kubectl.kubernetes.io/last-applied-configuration: |\n"
            '      {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"<ns>"},"data":{"a":"'
            '\\u003c\\u0026\\u003e"}}\n'
            "  name: c\n"
            "  namespace: <ns>\n"
        ),
    ),
    (
        "create secret generic s",
        """\
apiVersion: v1
kind: Secret
metadata:
  name: s
  namespace: <ns>
""",
    ),
    (
        "create secret generic s --from-literal=a=b --type=example.com/x",
        """\
apiVersion: v1
data:
  a: Yg==
kind: Secret
metadata:
  name: s
  namespace: <ns>
type: example.com/x
""",
    ),
    (
        "create secret generic s --from-file=dir --from-literal=z=1",
        """\
apiVersion: v1
data:
  one: MQo=
  two.txt: dHdvCg==
  z: MQ==
kind: Secret
metadata:
  name: s
  namespace: <ns>
""",
    ),
    (
        "create secret generic s --from-env-file=app.env",
        """\
apiVersion: v1
data:
  A: MQ==
  B: dHdvIHdvcmRz
  C: ""
  HOME_OF_MINE: ""
kind: Secret
metadata:
  name: s
  namespace: <ns>
""",
    ),
    (
        "create secret generic s --from-literal=a=b --append-hash",
        """\
apiVersion: v1
data:
  a: Yg==
kind: Secret
metadata:
  name: s-7fd2tm89d8
  namespace: <ns>
""",
    ),
    (
        "create secret docker-registry d --docker-username=u --docker-password=p",
        (
            "apiVersion: v1\n"
            "data:\n"
            "  .dockerconfigjson: eyJhdXRocyI6eyJodHRwczovL2luZGV4LmRvY2tlci5pby92MS8iOnsidXNlcm5hbWUiOiJ1IiwicGF"
            "zc3dvcmQiOiJwIiwiYXV0aCI6ImRUcHcifX19\n"
            "kind: Secret\n"
            "metadata:\n"
            "  name: d\n"
            "  namespace: <ns>\n"
            "type: kubernetes.io/dockerconfigjson\n"
        ),
    ),
    (
        (
            "create secret docker-registry d --docker-username=u --docker-password=p --docker-email=e@x "
            "--docker-server=r.io"
        ),
        (
            "apiVersion: v1\n"
            "data:\n"
            "  .dockerconfigjson: eyJhdXRocyI6eyJyLmlvIjp7InVzZXJuYW1lIjoidSIsInBhc3N3b3JkIjoicCIsImVtYWlsIjoiZUB"
            "4IiwiYXV0aCI6ImRUcHcifX19\n"
            "kind: Secret\n"
            "metadata:\n"
            "  name: d\n"
            "  namespace: <ns>\n"
            "type: kubernetes.io/dockerconfigjson\n"
        ),
    ),
    (
        "create secret docker-registry d --from-file=docker.json --append-hash",
        """\
apiVersion: v1
data:
  .dockerconfigjson: eyJhdXRocyI6eyJ4Ijp7ImF1dGgiOiJlQT09In19fQo=
kind: Secret
metadata:
  name: d-mbg76h56gk
  namespace: <ns>
type: kubernetes.io/dockerconfigjson
""",
    ),
    (
        "create secret docker-registry d --from-file=key=docker.json",
        """\
apiVersion: v1
data:
  key: eyJhdXRocyI6eyJ4Ijp7ImF1dGgiOiJlQT09In19fQo=
kind: Secret
metadata:
  name: d
  namespace: <ns>
type: kubernetes.io/dockerconfigjson
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_an_object_is_made_up(files: Desk, line: str, expected: str) -> None:
    assert files.run(*with_flags(line, "--dry-run=client", "-o", "yaml")) == Outcome(0, expected, "")


REFUSED = [
    (
        "create cm",
        """\
error: exactly one NAME is required, got 0
See 'kctl create configmap -h' for help and examples
""",
    ),
    (
        "create cm a b",
        """\
error: exactly one NAME is required, got 2
See 'kctl create configmap -h' for help and examples
""",
    ),
    ('create cm ""', "error: name must be specified\n"),
    ("create cm c --from-literal=a", "error: invalid literal source a, expected key=value\n"),
    ("create cm c --from-literal==a", "error: invalid literal source =a, expected key=value\n"),
    (
        "create cm c --from-literal=a=1 --from-literal=a=2",
        'error: cannot add key "a", another key by that name already exists in Data for ConfigMap "c"\n',
    ),
    (
        "create cm c --from-literal='a b=1'",
        (
            'error: "a b" is not a valid key name for a ConfigMap: a valid config key must consist of '
            "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
            "used for validation is '[-._a-zA-Z0-9]+')\n"
        ),
    ),
    ("create cm c --from-literal=..=1", "error: \"..\" is not a valid key name for a ConfigMap: must not be '..'\n"),
    ("create cm c --from-file=nope", "error: error reading nope: no such file or directory\n"),
    ("create cm c --from-file=k=dir", "error: cannot give a key name for a directory path\n"),
    ("create cm c --from-file=k=text=l", "error: key names or file paths cannot contain '='\n"),
    ("create cm c --from-file==text", "error: key name for file path text missing\n"),
    ("create cm c --from-file=k=", "error: file path for key name k missing\n"),
    (
        "create cm c --from-file=text --from-literal=text=1",
        'error: cannot add key "text", another key by that name already exists in Data for ConfigMap "c"\n',
    ),
    (
        "create cm c --from-env-file=bad.env",
        (
            'error: "1A" is not a valid key name: a valid environment variable name must consist of alphabetic '
            "characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or "
            "'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')\n"
        ),
    ),
    ("create cm c --from-env-file=dir", "error: env config file cannot be a directory\n"),
    (
        "create cm c --from-env-file=app.env --from-literal=a=b",
        "error: from-env-file cannot be combined with from-file or from-literal\n",
    ),
    (
        "create cm Bad_Name",
        (
            'error: failed to create configmap: ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: '
            "\"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
            "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
            "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
        ),
    ),
    (
        "create secret generic",
        """\
error: exactly one NAME is required, got 0
See 'kctl create secret generic -h' for help and examples
""",
    ),
    (
        "create secret generic s --from-literal='a b=1'",
        (
            'error: "a b" is not valid key name for a Secret a valid config key must consist of alphanumeric '
            "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
            "validation is '[-._a-zA-Z0-9]+')\n"
        ),
    ),
    (
        "create secret generic s --from-literal=a=1 --from-literal=a=1",
        "error: cannot add key a, another key by that name already exists\n",
    ),
    ("create secret generic s --from-env-file=dir", "error: env secret file cannot be a directory\n"),
    (
        "create secret generic s --from-env-file=app.env --from-file=text",
        "error: from-env-file cannot be combined with from-file or from-literal\n",
    ),
    (
        "create secret generic Bad_Name",
        (
            'error: failed to create secret Secret "Bad_Name" is invalid: metadata.name: Invalid value: '
            "\"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
            "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
            "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
        ),
    ),
    (
        "create secret docker-registry d --docker-username=u",
        (
            "error: either --from-file or the combination of --docker-username, --docker-password and "
            "--docker-server is required\n"
        ),
    ),
    (
        "create secret docker-registry d --docker-username=u --docker-password=p --docker-server=",
        (
            "error: either --from-file or the combination of --docker-username, --docker-password and "
            "--docker-server is required\n"
        ),
    ),
    ("create secret docker-registry d --from-file=nope", "error: error reading nope: no such file or directory\n"),
    (
        "create secret docker-registry d --from-file=key=docker.json",
        'error: failed to create secret Secret "d" is invalid: data[.dockerconfigjson]: Required value\n',
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(files: Desk, line: str, said: str) -> None:
    assert files.run(*shlex.split(line)) == Outcome(1, "", said)


def test_a_key_alone_is_taken_from_the_environment(files: Desk) -> None:
    line = "create cm c --from-env-file=app.env --dry-run=client -o jsonpath={.data.HOME_OF_MINE}"
    assert files.run(*line.split(), HOME_OF_MINE="here") == Outcome(0, "here", "")


def test_what_is_no_text_is_binary_data(maker: Desk) -> None:
    (maker.directory / "noise").write_bytes(b"\xff\x00\xfe")
    done = maker.run(
        "create", "cm", "c", "--from-file=noise", "--dry-run=client", "-o", "jsonpath={.data}{.binaryData}"
    )
    assert done == Outcome(0, '{"noise":"/wD+"}', "")
