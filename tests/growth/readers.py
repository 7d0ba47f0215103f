"""All that reads a text which a client can write, or a file on the way to a server. One line each.

`frame` puts the text where it does harm: into the place of an otherwise good input.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kctl.printers import custom_columns, jsonpath, kyaml, objects, terminal
from localplane.apimachinery import jsonpath as paths
from localplane.apimachinery import names, quantity, times
from localplane.apimachinery.cel.environment import base_environment, checked
from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.golang import template
from localplane.apimachinery.golang import text as gotext
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import fieldset
from localplane.apimachinery.managedfields import fieldset as elements
from localplane.apimachinery.schema.meta import object_meta
from localplane.apimachinery.schema.validation.formats import FORMATS
from localplane.apimachinery.selectors import fields, labels
from localplane.apimachinery.serializers import media_types, yaml_documents, yaml_scalars
from localplane.apimachinery.serializers.json import number_text, parse_json, parse_json_stream
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.protobuf import envelope
from localplane.apimachinery.serializers.protobuf.reader import read_message
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.authentication import client_certificate, der, service_accounts
from localplane.apiserver.endpoints import request_info
from localplane.apiserver.endpoints.filters.transport import foreign
from localplane.apiserver.endpoints.filters.warning_headers import warning_headers
from localplane.apiserver.request import Query
from localplane.apiserver.server.http import http_server
from localplane.apiserver.storage import continuation
from localplane.apiserver.storage.keys import parse_resource_version
from localplane.catalog.apps import int_or_percent
from localplane.catalog.batch import indexes, schedules, time_zones
from localplane.catalog.certificates import pem, x509
from localplane.catalog.core import key_pairs
from localplane.catalog.core.pods.validation import environment
from localplane.catalog.validation import addresses, domains, ports, urls, webhooks
from localplane.cli.validation import positions


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` is given a text, in the `frame` where it stands. What it raises is of our own, or `expected`."""

    name: str
    read: Callable[[Any], Any]
    frame: Callable[[str], Any] = str
    expected: tuple[type[Exception], ...] = ()


def _bytes(text: str) -> bytes:
    return text.encode()


def _in_json(text: str) -> bytes:
    return b'{"a":' + text.encode()


def _in_json_string(text: str) -> bytes:
    return b'{"a":"' + text.encode()


def _json_string(text: str) -> bytes:
    return json.dumps({"a": text}, ensure_ascii=False).encode()


def _token(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _token_of_json(text: str) -> str:
    return _token(f'{{"v":"{text}')


def _armoured(text: str) -> bytes:
    return f"-----BEGIN A-----\n{text}\n-----END A-----\n".encode()


def _resolved(path: str) -> Any:
    return request_info.resolve("GET", path, Query({}))


def _selected(text: str) -> Any:
    return request_info.resolve("GET", "/api/v1/pods", Query({"fieldSelector": [text], "labelSelector": [text]}))


def _printed(text: str) -> str:
    return jsonpath.execute(paths.parse(text), {"a": {"b": [1, 2]}})


def _templated(text: str) -> str:
    return template.execute(template.parse(text, "output"), {"a": {"b": [1, 2]}})


def _columns(text: str) -> Any:
    return custom_columns.CustomColumnsPrinter.from_spec(text, no_headers=False)


def _evaluated(text: str) -> Any:
    environment = base_environment()
    return checked(text, environment).program(environment)


def _stream(body: bytes) -> Any:
    return list(parse_json_stream(body))


def _documents(body: bytes) -> Any:
    return list(yaml_documents.parse_yaml_documents(body, find_duplicates=True))


def _downward(text: str) -> Any:
    return list(environment.field_errors({"apiVersion": "v1", "fieldPath": text}, (), ANYWHERE))


ANYWHERE = Path("x")
PLACES = positions.read_tree("a: {b: [{c: 1}], d.e: 2}")

READERS: tuple[Reader, ...] = (
    # --- headers, paths, queries ---
    Reader("Accept", media_types.parse_accept),
    Reader("Accept, quality", media_types.parse_accept, lambda text: f"a/b;q={text}"),
    Reader("Accept, parameter", media_types.parse_accept, lambda text: f"a/b;as={text}"),
    Reader("Accept, by a router", lambda text: media_types.check_route(text, ("application/json",))),
    Reader("Accept, negotiated", lambda text: media_types.negotiate(text, (media_types.JSON, media_types.YAML))),
    Reader("Content-Type", media_types.parse_content_type),
    Reader("Content-Type, parameter", media_types.parse_content_type, lambda text: f"a/b;c={text}"),
    Reader("Content-Type, quoted", media_types.parse_content_type, lambda text: f'a/b;c="{text}'),
    Reader("Content-Type, by a router", lambda text: media_types.check_route_input(text, ("application/json",))),
    Reader("Host", lambda text: foreign({"host": text})),
    Reader("Origin", lambda text: foreign({"host": "localhost", "origin": text})),
    Reader("path", http_server.decode_path),
    Reader("query", http_server.parse_query),
    Reader("query, value", http_server.parse_query, lambda text: f"labelSelector={text}"),
    Reader("request info", _resolved),
    Reader("request info of a resource", _resolved, lambda text: f"/api/v1/namespaces/{text}"),
    Reader("request info with selectors", _selected),
    Reader("warnings", lambda text: warning_headers([text, text])),
    Reader("service account's name", service_accounts.split_username, lambda text: f"system:serviceaccount:{text}"),
    Reader("DER", lambda data: list(der.elements(data)), _bytes),
    Reader("certificate of a client", client_certificate.user_of, _bytes),
    # --- options ---
    Reader("label selector", labels.parse),
    Reader("label selector, set", labels.parse, lambda text: f"a in ({text}"),
    Reader("label selector, value", labels.parse, lambda text: f"a={text}"),
    Reader("field selector", fields.parse),
    Reader("field selector, value", fields.parse, lambda text: f"metadata.name={text}"),
    Reader("resourceVersion", parse_resource_version),
    Reader("continue", lambda text: continuation.decode_continue(text, "/registry/pods/")),
    Reader("continue, decoded", lambda text: continuation.decode_continue(text, "/registry/pods/"), _token),
    Reader("continue, of JSON", lambda text: continuation.decode_continue(text, "/registry/pods/"), _token_of_json),
    # --- bodies ---
    Reader("JSON", parse_json, _bytes),
    Reader("JSON, value", lambda body: parse_json(body, find_duplicates=True), _in_json),
    Reader("JSON, unfinished string", lambda body: parse_json(body, find_duplicates=True), _in_json_string),
    Reader("JSON, string", lambda body: parse_json(body, find_duplicates=True), _json_string),
    Reader("JSON, deeper than orjson reads", parse_json, lambda text: b"[" * 1100 + _json_string(text) + b"]" * 1100),
    Reader("JSON, number", lambda body: number_text(body, ("a",)), lambda text: b'{"a":1,"b":' + text.encode() + b"}"),
    Reader("JSON, one after the other", _stream, _bytes),
    Reader("YAML", lambda body: parse_yaml(body, find_duplicates=True), _bytes),
    Reader("YAML, value", lambda body: parse_yaml(body, find_duplicates=True), lambda text: b"a: " + text.encode()),
    Reader("YAML, quoted", parse_yaml, lambda text: b'a: "' + text.encode()),
    Reader("YAML, documents", _documents, _bytes),
    Reader("YAML, split", lambda text: list(yaml_documents.split_yaml(text))),
    Reader("YAML, places of fields", positions.read_tree),
    Reader("place of a field", lambda text: positions.find(PLACES, text)),
    Reader("place of a key", lambda text: positions.find(PLACES, text), lambda text: f"a[{text}].b"),
    Reader("YAML, scalar", yaml_scalars.plain),
    Reader("YAML, timestamp", yaml_scalars.is_timestamp),
    Reader("protobuf", envelope.opened, lambda text: b"k8s\x00" + text.encode()),
    Reader("protobuf, message", lambda body: read_message(object_meta(), body), _bytes),
    # --- names, times, amounts ---
    Reader("subdomain", names.dns1123_subdomain),
    Reader("label", names.dns1123_label),
    Reader("DNS 1035 label", names.dns1035_label),
    Reader("path segment", names.path_segment_name),
    Reader("qualified name", names.qualified_name),
    Reader("qualified name, prefix", names.qualified_name, lambda text: f"{text}/a"),
    Reader("annotation key", names.annotation_key),
    Reader("label value", names.label_value),
    Reader("finalizer", names.kube_finalizer_name),
    Reader("generated name", names.generate_name),
    Reader("group and version", GroupVersion.parse, expected=(ValueError,)),
    Reader("quantity", quantity.canonical),
    Reader("quantity, fraction", quantity.canonical, lambda text: f"1.{text}"),
    Reader("quantity, exponent", quantity.canonical, lambda text: f"1e{text}"),
    Reader("time", times.parse_time),
    Reader("time, fraction", times.parse_time, lambda text: f"2026-01-02T03:04:05.{text}"),
    Reader("micro time", times.parse_micro_time),
    Reader("duration", times.parse_duration),
    Reader("duration, fraction", times.parse_duration, lambda text: f"1.{text}s"),
    *(Reader(f"format {name}", check) for name, check in FORMATS.items()),
    Reader("format datetime, fraction", FORMATS["datetime"], lambda text: f"2026-01-02T03:04:05.{text}Z"),
    Reader("format uri, host", FORMATS["uri"], lambda text: f"https://{text}"),
    Reader("format email, name", FORMATS["email"], lambda text: f"{text} <a@b.c>"),
    # --- what is written into messages ---
    Reader("Go's quotes", gotext.go_quote),
    Reader("Go's JSON", gotext.go_json),
    Reader("JSON, written", to_json),
    Reader("YAML, written", to_yaml, lambda text: {"a": text}),
    Reader("YAML, written key", to_yaml, lambda text: {text: 1}),
    # --- managed fields ---
    Reader("step of a field path", elements.canonical),
    Reader("step of a field path, key", elements.canonical, lambda text: f"k:{text}"),
    Reader("step of a field path, value", elements.canonical, lambda text: f"v:{text}"),
    Reader("step of a field path, place", elements.canonical, lambda text: f"i:{text}"),
    Reader("field set", fieldset.parse, lambda text: {f"f:{text}": {}}),
    # --- what expressions are written in ---
    Reader("CEL", _evaluated),
    Reader("CEL, string", _evaluated, lambda text: f"'{text}'"),
    Reader("CEL, argument", _evaluated, lambda text: f"size({text})"),
    Reader("JSONPath", _printed),
    Reader("JSONPath, braces", _printed, lambda text: f"{{.{text}}}"),
    Reader("JSONPath, filter", _printed, lambda text: f"{{.a[?(@.{text})]}}"),
    Reader("JSONPath, relaxed", jsonpath.relaxed),
    Reader("go-template", _templated),
    Reader("go-template, action", _templated, lambda text: f"{{{{{text}}}}}"),
    Reader("go-template, string", _templated, lambda text: f'{{{{print "{text}"}}}}'),
    Reader("custom columns", _columns),
    Reader("custom columns, path", _columns, lambda text: f"A:.{text}"),
    # --- fields of built-in kinds ---
    Reader("schedule", schedules.check_schedule),
    Reader("schedule, field", schedules.check_schedule, lambda text: f"{text} * * * *"),
    Reader("time zone", time_zones.load_location),
    Reader("indexes", lambda text: indexes.count_indexes(text, 2**31 - 1)),
    Reader("indexes, compared", lambda text: indexes.overlap(text, text, 2**31 - 1)),
    Reader("percentage", lambda text: list(int_or_percent.share_errors(text, ANYWHERE))),
    Reader("PEM", lambda data: list(pem.blocks(data)), _bytes),
    Reader("PEM, body", lambda data: list(pem.blocks(data)), _armoured),
    Reader("certificate signing request", x509.request_problem, _bytes),
    Reader("certificates", x509.certificates_problem, _armoured),
    Reader("key pair", lambda data: key_pairs.key_pair_problem(data, data), _bytes),
    Reader(
        "downward field",
        _downward,
    ),
    Reader("IP address", lambda text: addresses.legacy_ip_errors(text, ANYWHERE)),
    Reader("IP address, warnings", lambda text: addresses.ip_warnings(text, ANYWHERE)),
    Reader("CIDR", lambda text: addresses.legacy_cidr_errors(text, ANYWHERE)),
    Reader("CIDR, warnings", lambda text: addresses.cidr_warnings(text, ANYWHERE)),
    Reader("endpoint's address", lambda text: list(addresses.endpoint_ip_errors(text, ANYWHERE))),
    Reader("wildcard domain", domains.wildcard_subdomain),
    Reader("fully qualified name", lambda text: domains.fully_qualified_errors(text, ANYWHERE)),
    Reader("domain prefixed path", lambda text: domains.domain_prefixed_path_errors(text, ANYWHERE)),
    Reader("port name", ports.port_name),
    Reader("URL", urls.parse_url),
    Reader("URL, host", urls.parse_url, lambda text: f"https://{text}"),
    Reader("webhook's URL", lambda text: list(webhooks.webhook_url_errors(text, ANYWHERE))),
    # --- what a server sends to a terminal ---
    Reader("KYAML", lambda text: kyaml.to_kyaml({"a": text})),
    Reader("indented JSON", lambda text: objects.go_indented({"a": text})),
    Reader("escapes", terminal.escape),
)
