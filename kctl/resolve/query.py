"""Everything that can be said about which objects are meant. Kubernetes: cli-runtime/pkg/resource, Builder."""

from __future__ import annotations

from localplane.apimachinery.light_typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.flags import Given


class Query(NamedTuple):
    """What the verb wants beside what the user typed:

    `types_alone`: a type without a name or selector means all of its objects (get), or is an error (delete).
    `latest`: what files say is only where to look; the object is asked of the server.
    `needs_object`: objects named by type and name are fetched; without it an Info comes with its name alone.
    `flatten`: a list becomes its items.
    `keep_going`: errors are collected in `Found.errors`, not raised at once.
    `local`: no server is asked; only files are allowed.
    `typed`: what files have is read into Go's types, which there are for the built-in kinds alone.
    `validates`: a file's object without a kind or version is refused as --validate refuses it.
    """

    arguments: Sequence[str] = ()
    filenames: Sequence[str] = ()
    kustomize: str = ""
    recursive: bool = False
    label_selector: str = ""
    field_selector: str = ""
    select_all: bool = False
    all_namespaces: bool = False
    subresource: str = ""
    chunk_size: int = 0
    accept: str = "application/json"
    include_object: bool = False
    types_alone: bool = False
    latest: bool = False
    needs_object: bool = True
    flatten: bool = False
    keep_going: bool = False
    single_type: bool = False
    enforce_namespace: bool = False
    default_namespace: bool = True
    local: bool = False
    validates: bool = False
    typed: bool = False

    @classmethod
    def of(cls, given: Given, arguments: Sequence[str] | None = None) -> Self:
        """With what the flags say that most verbs share: -f -k -R -l --field-selector -A --chunk-size --subresource."""

        def text(name: str) -> str:
            return given.text(name) if given.known(name) else ""

        return cls(
            arguments=given.arguments if arguments is None else arguments,
            filenames=given.texts("filename") if given.known("filename") else (),
            kustomize=text("kustomize"),
            recursive=given.known("recursive") and given.is_on("recursive"),
            label_selector=text("selector").strip(),
            field_selector=text("field-selector").strip(),
            all_namespaces=given.known("all-namespaces") and given.is_on("all-namespaces"),
            subresource=text("subresource"),
            chunk_size=given.number("chunk-size") if given.known("chunk-size") else 0,
            enforce_namespace=given.changed("namespace") and bool(given.text("namespace")),
        )
