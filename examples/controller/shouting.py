"""A server and a controller in one program: `python examples/controller/shouting.py`.

For each greeting the controller keeps a shout of the same name, with the text in capitals. Whatever happens to either,
it looks at both as they are now and mends the difference; what fails is tried again, later and later.
"""

from __future__ import annotations

from typing import Any

from localplane import library as api
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    SharedInformerFactory,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)

GROUP = "shouting.example.com"
GREETINGS = GroupVersionResource(GROUP, "v1", "greetings")
SHOUTS = GroupVersionResource(GROUP, "v1", "shouts")


class Text:
    text: str


class Spoken:
    spec: Text


class Shouting:
    def __init__(self, client: Client, informers: SharedInformerFactory) -> None:
        self.client = client
        self.greetings, self.shouts = informers.informer(GREETINGS), informers.informer(SHOUTS)
        self.queue = WorkQueue[str]()
        for informer in (self.greetings, self.shouts):
            informer.add_handler(
                HandlerFunctions(
                    add=self.enqueue,
                    update=lambda _, new: self.enqueue(new),
                    delete=lambda obj: self.enqueue(deleted_object(obj)),
                )
            )

    def enqueue(self, obj: dict[str, Any]) -> None:
        self.queue.add(object_key(obj))

    async def run(self) -> None:
        await self.greetings.wait_for_sync()
        await self.shouts.wait_for_sync()
        while True:
            key = await self.queue.get()
            try:
                await self.reconcile(key)
            except (api.APIError, ClientError):
                self.queue.add_rate_limited(key)
            else:
                self.queue.forget(key)
            finally:
                self.queue.done(key)

    async def reconcile(self, key: str) -> None:
        namespace, name = split_key(key)
        greeting, shout = self.greetings.indexer.get(key), self.shouts.indexer.get(key)
        shouts = self.client.resource(SHOUTS, namespace)
        if greeting is None:
            if shout is not None:
                await shouts.delete(name)
            return
        spec = {"text": greeting["spec"]["text"].upper()}
        if shout is None:
            metadata = {"name": name, "namespace": namespace}
            await shouts.create({"apiVersion": f"{GROUP}/v1", "kind": "Shout", "metadata": metadata, "spec": spec})
        elif shout["spec"] != spec:
            await shouts.update(shout | {"spec": spec})


async def shouting(plane: api.Plane) -> None:
    await Shouting(plane.client, plane.informers).run()


SPOKEN = [api.Version("v1", Spoken)]
SHOUTING = api.APIGroup(GROUP, [api.Resource("greetings", "Greeting", SPOKEN), api.Resource("shouts", "Shout", SPOKEN)])

if __name__ == "__main__":
    raise SystemExit(api.run([SHOUTING], api.PlaneOptions(controllers=[shouting])))
