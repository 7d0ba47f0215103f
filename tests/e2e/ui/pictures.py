"""Pictures of the console, for README: taken in a real browser, of a plane with a few things in it.

`make guides` takes them anew. They are WebP, small enough to be kept beside the text that shows them.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.command_line import ROOT
from tests.e2e.kctl.test_ui import started
from tests.e2e.ui.browser import HOW_TO_GET_IT, Chromium, Page, chromium
from tests.e2e.up.machine import Machine, machine

FOLDER = ROOT / "examples" / "pictures"
LARGEST = 150_000  # bytes

_LAMPS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.home.example.com}
spec:
  group: home.example.com
  scope: Namespaced
  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: LampList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@dataclass(frozen=True, slots=True)
class Scene:
    """`shown` is true when everything is there that belongs on it."""

    name: str
    path: str
    shown: str
    width: int = 1280
    height: int = 800
    dark: bool = False


SCENES = (
    Scene("console", "#/", "document.querySelectorAll('.square.good').length >= 16"),
    Scene(
        "console_object",
        "#/object/apps/v1/deployments/shop/web",
        "document.querySelectorAll('.tree li').length > 8 && document.querySelectorAll('.timeline li').length > 4",
        dark=True,
    ),
    Scene(
        "console_yaml",
        "#/object/apps/v1/deployments/shop/web/yaml",
        "document.querySelectorAll('.legend button').length > 1",
    ),
    Scene(
        "console_narrow",
        "#/list/core/v1/pods",
        "document.querySelectorAll('.row:not([hidden])').length > 8",
        width=360,
        height=720,
        dark=True,
    ),
)


def furnish(here: Machine) -> None:
    """What is seen on the pictures."""
    (here.home / "lamps.yaml").write_text(_LAMPS)
    for line in (
        "create namespace shop",
        "create deployment web -n shop --image=nginx:1.26 --replicas=8",
        "create deployment api -n shop --image=api:2 --replicas=5",
        "create deployment queue -n shop --image=queue:7 --replicas=3",
        "expose deployment web -n shop --port=80",
        "create configmap settings -n shop --from-literal=colour=red",
        "apply -f lamps.yaml",
        "rollout status deployment/web -n shop",
        "set image deployment/web -n shop nginx=nginx:1.27",
        "rollout status deployment/web -n shop",
        "rollout status deployment/api -n shop",
        "rollout status deployment/queue -n shop",
    ):
        done = here.kctl(*line.split())
        assert done.code == 0, f"{line}: {done.stderr}"


async def take(page: Page, scene: Scene, folder: Path) -> Path:
    await page.size(scene.width, scene.height, dark=scene.dark)
    await page.run(f"location.hash = '{scene.path}'")
    await page.until(scene.shown)
    await page.run("new Promise((resolve) => setTimeout(resolve, 1500))")  # what moves has come to rest
    file = folder / f"{scene.name}.webp"
    await page.picture(file, form="webp")
    return file


async def _take_all(process: Chromium, link: str, folder: Path) -> None:
    async with process.driven() as browser:
        page = await browser.page()
        await page.open(link)
        await page.until("document.querySelector('.sidebar a')")
        for scene in SCENES:
            await take(page, scene, folder)
        assert page.errors == []


def make(folder: Path = FOLDER) -> None:
    program = chromium()
    if program is None:
        raise SystemExit(HOW_TO_GET_IT)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place, machine(Path(place)) as here:
        here.up("--ephemeral", "--nodes", "3")
        furnish(here)
        process = Chromium(program, Path(place) / "chromium")
        try:
            with started(here, "--no-open") as console:
                asyncio.run(_take_all(process, console.link, folder))
        finally:
            process.stop()
