"""The console in a real browser: what is live, how objects change and go, how much it bears, who is kept out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType, ResourceClient
from tests.e2e.kctl.test_ui import Console, started
from tests.e2e.ui import pictures
from tests.e2e.ui.browser import WITHIN, Browser, Page
from tests.e2e.up.machine import Machine, machine
from tests.e2e.watch.cutting_proxy import cutting_proxy

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SILENCE = "simulation.localplane/never-ready"
SECRETS = GroupVersionResource("", "v1", "secrets")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
MARKUP = "<img src=x onerror=\"document.title='struck'\"><script>document.title='struck'</script>"


def config_map(name: str, *, owners: list[JSONObject] | None = None, **data: str) -> JSONObject:
    return {"metadata": {"name": name, "ownerReferences": owners or []}, "data": data}


async def go(page: Page, path: str) -> None:
    await page.run(f"location.hash = {json.dumps(path)}")


def row(name: str) -> str:
    return (
        f"[...document.querySelectorAll('.row:not([hidden]) .name')].some((e) => e.textContent === {json.dumps(name)})"
    )


async def test_lists_are_live_and_new_kinds_appear(
    page: Page, client: Client, space: str, record_property: Callable[[str, object], None]
) -> None:
    maps = client.resource(CONFIG_MAPS, space)
    await maps.create(config_map("first", text=MARKUP))
    await page.run(f"(async () => (await import('./assets/state.js')).state.choose({json.dumps(space)}))()")
    await go(page, "#/list/core/v1/configmaps")
    await page.until(row("first"))
    began = time.monotonic()
    await maps.create(config_map("second"))
    await page.until(row("second"))
    record_property("milliseconds from a write to its row", round((time.monotonic() - began) * 1000))
    await maps.delete("first")
    await page.until(f"!({row('first')})")

    await page.press("/")
    await page.run(
        "document.activeElement.value = 'sec !first'; document.activeElement.dispatchEvent(new Event('input'))"
    )
    await page.until("document.querySelector('.total').textContent.startsWith('1 of ')")
    await page.press("Enter")
    await page.press("Enter")
    await page.until("document.querySelector('h1').textContent === 'second'")

    group = f"{space}.example.com"
    names = {"plural": "lamps", "singular": "lamp", "kind": "Lamp", "listKind": "LampList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    definitions = client.resource(DEFINITIONS)
    await definitions.create({"metadata": {"name": f"lamps.{group}"}, "spec": spec})
    lamp = f"document.querySelector('.sidebar a[title=\"lamps.{group}\"]')"
    await page.until(lamp)
    await definitions.delete(f"lamps.{group}")
    await page.until(f"!{lamp}")
    await page.run("(async () => (await import('./assets/state.js')).state.choose(''))()")


async def test_counts_change_with_what_they_count(page: Page, client: Client, space: str) -> None:
    """In the namespace that is chosen, by a watch: nothing is asked for again and again."""
    maps = client.resource(CONFIG_MAPS, space)

    def count(number: int) -> str:
        return f"document.querySelector('.sidebar a[title=\"configmaps\"] .count').textContent === '{number}'"

    await page.run(f"(async () => (await import('./assets/state.js')).state.choose({json.dumps(space)}))()")
    await page.until(count(1))  # kube-root-ca.crt
    for name in ("a", "b"):
        await maps.create(config_map(name))
    await page.until(count(3))
    await maps.delete("a")
    await page.until(count(2))
    await page.run("(async () => (await import('./assets/state.js')).state.choose(''))()")


async def test_a_log_is_followed(browser: Browser, tmp_path: Path) -> None:
    with machine(tmp_path) as here:
        here.up("--ephemeral", "--storage", "memory", "--nodes", "1")
        assert here.kctl("run", "talking", "--image=i", f"--annotations={SILENCE}=true").code == 0
        with started(here, "--no-open") as console:
            page = await browser.page()
            await page.open(console.link)
            await page.until("document.querySelector('.sidebar a')")
            await go(page, "#/object/core/v1/pods/default/talking/log")
            await page.until("document.querySelector('.code').textContent.includes('talking started')")
            assert here.kctl("annotate", "pod", "talking", f"{SILENCE}-").code == 0
            await page.until("document.querySelector('.code').textContent.includes('talking is ready')")
            assert await page.run("document.querySelector('.view-tools [role=status]').textContent") == "following"
            assert page.errors == []


async def test_nothing_of_an_object_becomes_a_part_of_the_page(page: Page, client: Client, space: str) -> None:
    obj = config_map("markup", text=MARKUP)
    obj["metadata"] |= {"annotations": {"a": MARKUP}, "finalizers": ["example.com/hold"]}
    maps = client.resource(CONFIG_MAPS, space)
    await maps.create(obj, field_manager="<b>me</b>")
    for tab in ("", "/yaml", "/history", "/edit"):
        await go(page, f"#/object/core/v1/configmaps/{space}/markup{tab}")
        shown = "document.querySelector('textarea').value" if tab == "/edit" else "document.body.textContent"
        await page.until(f"{shown}.includes('onerror')")
    assert await page.run("document.querySelectorAll('img, main script').length") == 0
    assert await page.run("document.title") != "struck"
    await maps.patch("markup", {"metadata": {"finalizers": None}}, PatchType.MERGE)


async def test_a_secret_is_covered_until_it_is_asked_for(page: Page, client: Client, space: str) -> None:
    await client.resource(SECRETS, space).create({"metadata": {"name": "db"}, "stringData": {"password": "hunter2"}})
    await go(page, f"#/object/core/v1/secrets/{space}/db/yaml")
    await page.until("document.querySelector('.code')?.textContent.includes('password:')")
    assert "aHVudGVyMg==" not in await page.run("document.querySelector('.code').textContent")
    await page.click_text("button", "Show the secret")
    await page.until("document.querySelector('.code').textContent.includes('aHVudGVyMg==')")
    await go(page, f"#/object/core/v1/secrets/{space}/db/history")
    await page.until("document.querySelector('.diff')?.textContent.includes('password:')")
    assert "aHVudGVyMg==" not in await page.run("document.body.textContent")


def edited(text: str, other: str) -> str:
    replaced = f"t.value = t.value.replace({json.dumps(text)}, {json.dumps(other)})"
    return f"(() => {{ const t = document.querySelector('textarea'); {replaced}; }})()"


async def test_a_change_is_tried_and_shown_and_a_conflict_is_explained(page: Page, client: Client, space: str) -> None:
    maps = client.resource(CONFIG_MAPS, space)
    await maps.create(config_map("both", mine="1", theirs="1"))
    await go(page, f"#/object/core/v1/configmaps/{space}/both/edit")
    await page.until("document.querySelector('textarea')?.value.includes('mine:')")
    await page.run(edited('mine: "1"', 'mine: "2"'))
    await page.click_text("button", "Review the change")
    await page.until("document.querySelector('.diff .new')?.textContent.includes('mine: \"2\"')")
    assert (await maps.get("both"))["data"]["mine"] == "1"  # it was only tried

    await maps.patch("both", {"data": {"theirs": "9"}}, PatchType.MERGE, field_manager="robot")
    await page.until("document.querySelector('.tab-body .note:not([hidden])')")
    await page.click_text("button", "Make the change")
    await page.until(
        "document.querySelector('[role=alert]:not([hidden])')?.textContent.startsWith('robot changed this')"
    )
    assert (await maps.get("both"))["data"] == {"mine": "1", "theirs": "9"}
    await page.click_text("button", "Merge both")
    await page.until("[...document.querySelectorAll('h2')].some((e) => e.textContent === 'This would change')")
    await page.click_text("button", "Make the change")
    await page.until("document.querySelector('.toast.good')")
    assert (await maps.get("both"))["data"] == {"mine": "2", "theirs": "9"}

    await go(page, f"#/object/core/v1/configmaps/{space}/both/edit")
    await page.until("document.querySelector('textarea')?.value.includes('mine: \"2\"')")
    await page.run(edited("\ndata:", "\ndota:"))
    await page.click_text("button", "Review the change")
    await page.until("document.querySelector('.note.bad')?.textContent.includes('unknown field \"dota\"')")


async def test_a_deletion_shows_what_goes_with_it(page: Page, client: Client, space: str) -> None:
    maps = client.resource(CONFIG_MAPS, space)
    owner = await maps.create(config_map("owner"))
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
    for name in ("dependant-1", "dependant-2"):
        await maps.create(config_map(name, owners=[reference]))
    await go(page, f"#/object/core/v1/configmaps/{space}/owner")
    await page.until("document.querySelectorAll('.tree li').length === 3")
    await page.press("d")
    await page.until("document.querySelectorAll('dialog .goes li').length === 2")
    assert await page.run("document.activeElement.textContent") == "Cancel"
    await page.press("Escape")
    await page.until("!document.querySelector('dialog')")
    assert (await maps.get("owner"))["metadata"]["name"] == "owner"
    await page.press("d")
    await page.click("dialog button.danger:not(:disabled)")
    await _gone(maps, "owner", "dependant-1", "dependant-2")


async def _gone(maps: ResourceClient, *names: str) -> None:
    give_up = time.monotonic() + WITHIN
    while {item["metadata"]["name"] for item in (await maps.list())["items"]} & {*names}:
        assert time.monotonic() < give_up, "it did not go"


def table(number: int) -> JSONObject:
    """What a server answers for so many pods."""
    columns = [{"name": name, "type": "string", "format": "", "priority": 0} for name in ("Name", "Status", "Age")]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "1"},
        "columnDefinitions": columns,
        "rows": [table_row(index, "Running") for index in range(number)],
    }


def table_row(index: int, status: str) -> JSONObject:
    metadata = {
        "name": f"pod-{index:05}",
        "namespace": "n",
        "uid": str(index),
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    return {"cells": [metadata["name"], status, "1d"], "object": {"metadata": metadata}}


SCROLL = """(async () => {
  const grid = document.querySelector('.grid');
  const { wire } = await import('./assets/wire.js');
  const watch = [...wire.watches].find(([, one]) => one.path.startsWith('/api/v1/pods?'));
  const step = (grid.scrollHeight - grid.clientHeight) / FRAMES;
  let most = 0, events = 0;
  const began = performance.now();
  for (let frame = 1; frame <= FRAMES; frame++) {
    grid.scrollTop = step * frame;
    for (; watch && events < (performance.now() - began) / 10; events++) {
      const name = `pod-${String(events % ROWS).padStart(5, '0')}`;
      const metadata = { name, namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z' };
      const cells = [name, events % 2 ? 'Pending' : 'Running', '1d'];
      const object = { rows: [{ cells, object: { metadata } }] };
      watch[1].onLines([{ type: 'MODIFIED', object }]);
    }
    await new Promise(requestAnimationFrame);
    most = Math.max(most, document.querySelectorAll('.row').length);
  }
  await new Promise(requestAnimationFrame);
  const named = [...document.querySelectorAll('.row:not([hidden]) .name')].map((e) => e.textContent);
  const shown = named.filter((name) => name.startsWith('pod-')).sort();
  return { most, events, last: shown.at(-1), fps: Math.round(FRAMES * 1000 / (performance.now() - began)) };
})()"""


async def test_ten_thousand_rows_scroll_while_they_change(
    page: Page, record_property: Callable[[str, object], None]
) -> None:
    """What a frame costs does not grow with the rows: only those that are seen are in the page."""
    costs: dict[int, float] = {}
    await page.send("Performance.enable", timeDomain="threadTicks")
    for number in (100, 10_000):
        await answered(page, "*/k8s/api/v1/pods?*", table(number))
        await go(page, "#/")
        await go(page, "#/list/core/v1/pods")
        await page.until(f"document.querySelector('.total')?.textContent === '{number}'")
        before = await script_seconds(page)
        done = await page.run(SCROLL.replace("FRAMES", "90").replace("ROWS", str(number)))
        costs[number] = await script_seconds(page) - before
        assert done["most"] < 80
        assert done["last"] == f"pod-{number - 1:05}"
        record_property(f"frames per second, {number} rows, 100 events per second", done["fps"])
        record_property(f"milliseconds of script in a frame, {number} rows", round(costs[number] * 1000 / 90, 2))
    await page.send("Fetch.disable")
    record_property("cost of 10,000 rows, in those of 100", round(costs[10_000] / costs[100], 1))
    assert costs[10_000] < 12 * costs[100]


async def answered(page: Page, pattern: str, value: JSONObject) -> None:
    """Let lists be answered by us from now on."""
    page.answers = {pattern: json.dumps(value).encode()}
    await page.send("Fetch.enable", patterns=[{"urlPattern": pattern}])


async def script_seconds(page: Page) -> float:
    metrics = (await page.send("Performance.getMetrics"))["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "ScriptDuration"))


UNNAMED = """[...document.querySelectorAll('button, a, input, select, textarea')]
  .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.title || e.labels?.length || e.hidden))
  .map((e) => e.tagName + e.className)"""


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 800)])
async def test_every_page_fits_and_can_be_used_by_keys(
    page: Page, client: Client, space: str, width: int, height: int
) -> None:
    await client.resource(CONFIG_MAPS, space).create(
        config_map("a-rather-long-name-for-a-narrow-screen", text="x" * 300)
    )
    await page.size(width, height, dark=width < 400)
    kinds = "#/object/core/v1/configmaps/" + space + "/a-rather-long-name-for-a-narrow-screen"
    for path in (
        "#/",
        "#/list/core/v1/configmaps",
        kinds,
        f"{kinds}/yaml",
        f"{kinds}/history",
        "#/requests",
        "#/faults",
        "#/access",
    ):
        await go(page, path)
        await page.until("document.querySelector('main h1') && !document.querySelector('main .tab-body:empty')")
        assert await page.run("document.documentElement.scrollWidth") <= width, path
        assert await page.run(UNNAMED) == [], path
    await page.press("?")
    await page.until("document.querySelector('dialog.help kbd')")
    await page.press("Escape")
    await page.press("s")
    await page.until("document.activeElement.getAttribute('role') === 'combobox'")
    await page.run("document.activeElement.value = 'cm'; document.activeElement.dispatchEvent(new Event('input'))")
    await page.press("Enter")
    await page.until("location.hash === '#/list/core/v1/configmaps'")
    await page.until("document.querySelector('.row')")
    await page.press("j")
    await page.press("Enter")
    await page.until("location.hash.startsWith('#/object/core/v1/configmaps/')")


async def test_a_tab_says_that_its_server_is_gone_and_comes_back_by_itself(
    browser: Browser, plane: Machine, client: Client, space: str
) -> None:
    host, _, port = str(plane.record()["url"]).removeprefix("https://").rpartition(":")
    maps = client.resource(CONFIG_MAPS, space)
    with ExitStack() as between:
        proxy = between.enter_context(cutting_proxy(host, int(port)))
        console = between.enter_context(
            started(plane, "--no-open", "--namespace", space, "--server", f"https://127.0.0.1:{proxy.port}")
        )
        page = await browser.page()
        await page.open(console.link)
        await page.until("document.querySelector('.sidebar a')")
        await go(page, "#/list/core/v1/configmaps?q=" + space)
        await page.until("document.querySelector('.total')?.textContent.startsWith('1 of ')")  # kube-root-ca.crt
        proxy.close()
        await page.until("document.querySelector('.banner:not([hidden])')?.innerText.startsWith('The server is gone.')")
        await maps.create(config_map("meanwhile"))
        with cutting_proxy(host, int(port), at=proxy.port):
            await page.until("document.querySelector('.banner').hidden")
            await page.until(row("meanwhile"))
            assert page.errors == []


class _Attacker(BaseHTTPRequestHandler):
    """A server of somebody else on this machine, which writes down the cookies that it is sent."""

    server: AttackServer

    def do_GET(self) -> None:
        self.server.cookies.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>attack</title>")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


class AttackServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Attacker)
        self.cookies: list[str] = []


@contextmanager
def attacking() -> Iterator[AttackServer]:
    with AttackServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


ATTACK = """(async () => {
  const room = ROOM;
  const maps = `${room}k8s/api/v1/namespaces/SPACE/configmaps`;
  const body = JSON.stringify({ metadata: { name: 'struck' } });
  const mark = { 'X-Kctl-Ui': '1' };
  const asked = async (options) => {
    try {
      const answer = await fetch(maps, { credentials: 'include', ...options });
      return answer.type === 'opaque' ? 'sent' : `read ${answer.status}`;
    } catch {
      return 'refused';
    }
  };
  const loaded = (tag, src, worth) => new Promise((resolve) => {
    const element = document.createElement(tag);
    element.onload = () => resolve(worth(element));
    element.onerror = () => resolve('refused');
    element.src = src;
    document.body.append(element);
  });
  const seen = (frame) => {
    try {
      return frame.contentDocument?.title || 'nothing';
    } catch {
      return 'nothing';
    }
  };
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: maps, target: 'nowhere' });
  document.body.append(form);
  form.submit();
  return {
    read: await asked({}),
    marked: await asked({ headers: mark }),
    written: await asked({ method: 'POST', body, headers: { ...mark, 'Content-Type': 'application/json' } }),
    blind: await asked({ method: 'POST', body, mode: 'no-cors' }),
    script: await loaded('script', `${room}assets/main.js`, () => 'run'),
    frame: await loaded('iframe', room, seen),
    socket: await new Promise((resolve) => {
      const socket = new WebSocket(`${room.replace('http', 'ws')}watch`);
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    }),
  };
})()"""


async def test_a_page_of_another_has_no_success(
    page: Page, browser: Browser, console: Console, client: Client, space: str
) -> None:
    """In the same browser, which has the cookie, and with the room's address, which it could not know."""
    room = f"http://{console.host}{console.room}"
    with attacking() as server:
        for host in ("127.0.0.1", "localhost"):
            attacker = await browser.page()
            await attacker.open(f"http://{host}:{server.server_address[1]}/")
            await attacker.until("document.title === 'attack'")
            results = await attacker.run(ATTACK.replace("ROOM", json.dumps(room)).replace("SPACE", space))
            assert results.pop("blind") in ("sent", "refused")  # it may be sent; it is not done
            assert results.pop("frame") == "nothing"
            assert results == dict.fromkeys(("read", "marked", "written", "script", "socket"), "refused")
        assert not any("kctl-ui" in cookie for cookie in server.cookies)
    names = {item["metadata"]["name"] for item in (await client.resource(CONFIG_MAPS, space).list())["items"]}
    assert "struck" not in names
    stranger = await browser.page(of_its_own=True)
    await stranger.open(room)
    await stranger.until("document.body?.innerText.includes('lets in who opens its link')")


def test_pictures_of_it_are_kept_small() -> None:
    for scene in pictures.SCENES:
        picture = (pictures.FOLDER / f"{scene.name}.webp").read_bytes()
        assert (picture[:4], picture[8:12], len(picture) < pictures.LARGEST) == (b"RIFF", b"WEBP", True), scene.name
