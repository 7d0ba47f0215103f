"""A real Chromium, driven over its DevTools protocol: one process, and a page for whoever wants one."""

from __future__ import annotations

import asyncio
import base64
import fnmatch
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WITHIN = 60.0
HOW_TO_GET_IT = (
    "there is no Chromium here: `apt install chromium` (Debian, Ubuntu), `brew install --cask chromium` (macOS), or "
    "name one with KCTL_CHROMIUM"
)


def chromium() -> str | None:
    """The program; None if there is none."""
    named = os.environ.get("KCTL_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One tab. `errors` has what its scripts raised, and what its policy refused."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.errors: list[str] = []
        self.answers: dict[str, bytes] = {}
        """What is answered in the server's place, once `Fetch` is enabled for it."""

    async def hear(self, said: dict[str, Any]) -> None:
        self.errors += _problems(said)
        if said["method"] != "Fetch.requestPaused":
            return
        paused = said["params"]
        pattern = next(
            (one for one in self.answers if fnmatch.fnmatch(paused["request"]["url"], one.replace("?", "[?]"))), ""
        )
        headers = [{"name": "Content-Type", "value": "application/json"}]
        body = base64.b64encode(self.answers[pattern]).decode()
        await self.send(
            "Fetch.fulfillRequest", requestId=paused["requestId"], responseCode=200, responseHeaders=headers, body=body
        )

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self._browser.send(method, session=self._session, **parameters)

    async def open(self, url: str) -> None:
        await self.send("Page.navigate", url=url)

    async def run(self, script: str) -> Any:
        """What an expression is worth; promises are waited for."""
        answer = await self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if problem := answer.get("exceptionDetails"):
            raise AssertionError(problem.get("exception", {}).get("description") or problem["text"])
        return answer["result"].get("value")

    async def until(self, script: str) -> Any:
        """Wait until an expression is true; what it is worth then."""
        give_up = asyncio.get_running_loop().time() + WITHIN
        while True:
            with suppress(AssertionError):
                if value := await self.run(
                    f"(async () => {{ const v = await ({script}); return v instanceof Node || v; }})()"
                ):
                    return value
            if asyncio.get_running_loop().time() > give_up:
                shown = await self.run("document.body.innerText")
                raise AssertionError(f"{script} did not become true; {self.errors}; the page shows: {shown[:2000]}")
            await asyncio.sleep(0.02)

    async def press(self, key: str) -> None:
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key)
        typed = {"text": text} if text else {}
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36}.get(key, 0)
        await self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **typed)
        await self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    async def click(self, selector: str) -> None:
        await self.until(f"document.querySelector({json.dumps(selector)})")
        await self.run(f"document.querySelector({json.dumps(selector)}).click()")

    async def click_text(self, tag: str, text: str) -> None:
        """The first element of that tag which begins with a text."""
        begins = f"(element) => element.textContent.trim().startsWith({json.dumps(text)})"
        script = f"[...document.querySelectorAll({json.dumps(tag)})].find({begins})"
        await self.until(f"Boolean({script})")
        await self.run(f"{script}.click()")

    async def size(self, width: int, height: int, *, dark: bool = False) -> None:
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.send("Emulation.setEmulatedMedia", features=[scheme])

    async def picture(self, file: Path, *, form: str = "png") -> None:
        options = {"quality": 82} if form == "webp" else {}
        answer = await self.send("Page.captureScreenshot", format=form, **options)
        file.write_bytes(base64.b64decode(answer["data"]))


class Browser:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}
        self._hearing: set[asyncio.Task[None]] = set()
        self._reader = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                if (waiting := self._waiting.pop(said["id"], None)) is not None and not waiting.done():
                    waiting.set_result(said)
            elif (page := self._pages.get(said.get("sessionId", ""))) is not None:
                self._hearing.add(task := asyncio.get_running_loop().create_task(page.hear(said)))
                task.add_done_callback(self._hearing.discard)

    async def send(self, method: str, *, session: str = "", **parameters: Any) -> dict[str, Any]:
        self._next += 1
        answer = asyncio.get_running_loop().create_future()
        self._waiting[self._next] = answer
        message = {"id": self._next, "method": method, "params": parameters}
        await self._socket.send_str(json.dumps({**message, "sessionId": session} if session else message))
        async with asyncio.timeout(WITHIN):
            said = await answer
        if "error" in said:
            raise AssertionError(f"{method}: {said['error']}")
        result: dict[str, Any] = said["result"]
        return result

    async def page(self, *, of_its_own: bool = False) -> Page:
        """A new tab; `of_its_own` is without the cookies of the others."""
        context = {"browserContextId": await self._context()} if of_its_own else {}
        target = (await self.send("Target.createTarget", url="about:blank", **context))["targetId"]
        session = (await self.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log"):
            await page.send(f"{domain}.enable")
        await page.size(1280, 800)
        return page

    async def _context(self) -> str:
        identity: str = (await self.send("Target.createBrowserContext"))["browserContextId"]
        return identity

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for page in self._pages.values():
            with suppress(AssertionError, TimeoutError):
                await page.send("Page.close")
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader


def _problems(said: dict[str, Any]) -> list[str]:
    parameters = said.get("params", {})
    if said["method"] == "Runtime.exceptionThrown":
        details = parameters["exceptionDetails"]
        return [details.get("exception", {}).get("description") or details["text"]]
    if said["method"] == "Log.entryAdded" and parameters["entry"]["source"] == "security":
        return [parameters["entry"]["text"]]
    return []


class Chromium:
    """The process: without a window, with an empty home."""

    def __init__(self, program: str, home: Path) -> None:
        command = [
            program,
            "--headless=new",
            "--remote-debugging-port=0",
            f"--user-data-dir={home}",
            *("--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-extensions"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio"),
            *("--hide-scrollbars", "--disable-dev-shm-usage", "--no-sandbox", "about:blank"),
        ]
        environ = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)}
        self._port = home / "DevToolsActivePort"
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)

    def stop(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()

    @asynccontextmanager
    async def driven(self) -> AsyncIterator[Browser]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(await self._debugger(), max_msg_size=0) as socket,
            Browser(socket) as browser,
        ):
            yield browser

    async def _debugger(self) -> str:
        give_up = asyncio.get_running_loop().time() + WITHIN
        while asyncio.get_running_loop().time() < give_up:
            if self._process.poll() is not None:
                raise AssertionError(f"Chromium ended with {self._process.returncode} before it was there")
            if self._port.exists() and len(lines := self._port.read_text().splitlines()) > 1:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            await asyncio.sleep(0.05)
        raise AssertionError("Chromium did not come up")
