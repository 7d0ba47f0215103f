"""Metrics: Kubernetes' names and labels, and no more of them than there are resources."""

from __future__ import annotations

import re
from time import perf_counter

import pytest

from localplane.apiserver.request import Request
from localplane.apiserver.server.monitoring.exposition import Family
from localplane.apiserver.server.monitoring.metrics import Metrics
from tests.unit.server.asking import about, ask


def lines(metrics: Metrics, start: str) -> list[str]:
    return [line for line in metrics.render().decode().splitlines() if line.startswith(start)]


def test_a_request_is_counted_by_what_it_asked_and_how_it_went() -> None:
    metrics = Metrics()
    request = ask(info=about("get", "configmaps", name="a", namespace="default"))
    for status in (200, 200, 404):
        metrics.finished(request, status, 0.001)
    labels = (
        'verb="GET",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="resource",'
        'component="apiserver"'
    )
    assert lines(metrics, "apiserver_request_total") == [
        f'apiserver_request_total{{{labels},code="200"}} 2',
        f'apiserver_request_total{{{labels},code="404"}} 1',
    ]
    assert f"apiserver_request_duration_seconds_count{{{labels}}} 3" in metrics.render().decode()


@pytest.mark.parametrize(
    ("request_", "verb", "scope"),
    [
        (ask(info=about("list", "pods")), "LIST", "cluster"),
        (ask(info=about("list", "pods", namespace="a")), "LIST", "namespace"),
        (ask(info=about("create", "pods", namespace="a")), "POST", "resource"),
        (ask(info=about("update", "pods", namespace="a", name="b")), "PUT", "resource"),
        (ask(info=about("watch", "pods")), "WATCH", "cluster"),
        (ask(info=about("deletecollection", "pods", namespace="a")), "DELETECOLLECTION", "namespace"),
        (ask(info=about("patch", "pods", name="b")), "PATCH", "resource"),
        (ask(info=about("patch", "pods", name="b"), content_type="application/apply-patch+yaml"), "APPLY", "resource"),
        (ask(info=about("get", "pods", name="b", subresource="log")), "CONNECT", "resource"),
        (ask(info=about("brew", "pods", name="b")), "other", "resource"),
        (ask("/version"), "GET", ""),
        (ask("/version", "BREW"), "other", ""),
    ],
)
def test_verbs_and_scopes_have_kubernetes_names(request_: Request, verb: str, scope: str) -> None:
    metrics = Metrics()
    metrics.finished(request_, 200, 0.1)
    (line,) = lines(metrics, "apiserver_request_total")
    assert f'verb="{verb}"' in line
    assert f'scope="{scope}"' in line


def test_buckets_add_up() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.005, 0.03, 100):
        metrics.finished(ask("/x"), 200, seconds)
    buckets = dict(re.findall(r'_bucket{.*le="(.*)"} (\d+)', metrics.render().decode()))
    assert [buckets[bound] for bound in ("0.005", "0.025", "0.05", "60", "+Inf")] == ["2", "2", "3", "3", "4"]
    (total,) = lines(metrics, "apiserver_request_duration_seconds_sum")
    assert float(total.split()[-1]) == pytest.approx(100.036)


def test_made_up_resources_make_no_labels() -> None:
    metrics = Metrics()
    for number in range(100):
        metrics.finished(ask(info=about("list", f"fake{number}")), 404, 0.1)
    (line,) = lines(metrics, "apiserver_request_total")
    assert 'resource=""' in line
    assert line.endswith(" 100")


def test_there_is_an_end_to_how_many_series_there_can_be() -> None:
    metrics = Metrics()
    for number in range(6000):
        metrics.finished(ask(info=about("list", f"real{number}")), 200, 0.1)
    assert len(lines(metrics, "apiserver_request_total")) <= 5001


def test_a_dry_run_is_told_apart() -> None:
    metrics = Metrics()
    for query, label in (("", ""), ("?dryRun=All", "All"), ("?dryRun=some-nonsense", "invalid")):
        metrics.finished(ask(f"/x{query}", "POST"), 200, 0.1)
        assert any(f'dry_run="{label}"' in line for line in lines(metrics, "apiserver_request_total"))


def test_a_watch_is_long_running_while_it_lasts_and_its_events_are_counted() -> None:
    metrics = Metrics()
    request = ask(info=about("watch", "pods"))
    with metrics.streaming(request, 200, perf_counter()) as meter:
        meter.sent(b"{}\n{}\n{}\n")
        (line,) = lines(metrics, "apiserver_longrunning_requests")
        assert 'verb="WATCH"' in line
        assert line.endswith(" 1")
        assert lines(metrics, "apiserver_request_total") == []
    assert lines(metrics, "apiserver_longrunning_requests") == []
    assert lines(metrics, "apiserver_watch_events_total") == [
        'apiserver_watch_events_total{group="",version="v1",resource="pods"} 3'
    ]
    assert lines(metrics, "apiserver_request_total")[0].endswith(" 1")


def test_others_can_add_to_it() -> None:
    metrics = Metrics()
    family = Family("apiserver_storage_objects", "gauge", "Stored objects.")
    family.add(7, resource='odd"name\n')
    metrics.add_collector(lambda: [family])
    metrics.store_request("get", "apps", "deployments", 0.004)
    text = metrics.render().decode()
    assert 'apiserver_storage_objects{resource="odd\\"name\\n"} 7\n' in text
    assert 'etcd_request_duration_seconds_count{operation="get",group="apps",resource="deployments"} 1\n' in text


def test_the_text_is_what_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.finished(ask("/x"), 200, 0.1)
    for line in metrics.render().decode().splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z_]+="[^"]*",?)*\})? [0-9.e+-]+', line), line
    names = {line.split()[0] for line in metrics.render().decode().splitlines() if line.startswith("process_")}
    assert {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"} <= names
