"""One resource, served: `python examples/minimal/greetings.py`, then kubectl with the kubeconfig that it names."""

from localplane.library import APIGroup, Resource, Version, run


class GreetingSpec:
    text: str
    loud: bool = False


class Greeting:
    spec: GreetingSpec


GREETINGS = Resource("greetings", kind="Greeting", versions=[Version("v1", Greeting)], short_names=["hi"])

if __name__ == "__main__":
    raise SystemExit(run([APIGroup("hello.example.com", [GREETINGS])]))
