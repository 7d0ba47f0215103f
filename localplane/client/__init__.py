"""Talking to a Kubernetes API, as client-go does.

    informers/        copies of collections that keep themselves current
    leader_election   one of many acts
    workqueue/        what controllers take their keys from; pauses, and faults that stay where they happened
    rest/             one server's API: requests, resources, discovery, watches
    transport/        how a request travels: over aiohttp, over a blocking socket, or within this process
    authentication/   who we are to a server, and whether it is who it says
    kubeconfig/       files -> ClientConfig
    urls, errors      addresses; all that can go wrong, as a tree

Each may know those below it. The command line, the controllers and library users call it. It knows the vocabulary of
`apimachinery` and nothing of the server. Objects are plain dictionaries; those that come out of an informer are shared
and must not be changed.

Names are imported when they are first used, so that reading a kubeconfig costs no HTTP library.
"""

from __future__ import annotations

from importlib import import_module

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .authentication.credentials import Credentials
    from .errors import ClientError
    from .informers.delta_fifo import DeletedFinalStateUnknown
    from .informers.factory import SharedInformerFactory
    from .informers.handlers import EventHandler, FilteringHandler, HandlerFunctions, deleted_object
    from .informers.indexer import Indexer, Lister, object_key, split_key
    from .informers.informer import SharedInformer
    from .informers.list_watch import METADATA, METADATA_LIST, ListerWatcher, ListWatch, MetadataListWatch
    from .informers.reflector import Reflector, ReflectorOptions
    from .kubeconfig import ClientConfig, Kubeconfig, Overrides
    from .rest.client import Client
    from .rest.discovery import APIGroup, APIResource, Discovered, Discovery
    from .rest.mapper import DiscoveryMapper, RESTMapper, RESTMapping
    from .rest.names import GroupVersionResource
    from .rest.options import ListOptions
    from .rest.resources import PatchType, ResourceClient
    from .rest.watch import WatchEvent, WatchStream
    from .transport.aiohttp_transport import HTTPTransport
    from .transport.headers import ServerWarning
    from .transport.interface import BufferedResponse, Response, Transport
    from .workqueue.queue import ShutDown, WorkQueue
    from .workqueue.rate_limiters import RateLimiter, default_controller_rate_limiter

__all__ = [
    "METADATA",
    "METADATA_LIST",
    "APIGroup",
    "APIResource",
    "BufferedResponse",
    "Client",
    "ClientConfig",
    "ClientError",
    "Credentials",
    "DeletedFinalStateUnknown",
    "Discovered",
    "Discovery",
    "DiscoveryMapper",
    "EventHandler",
    "FilteringHandler",
    "GroupVersionResource",
    "HTTPTransport",
    "HandlerFunctions",
    "Indexer",
    "Kubeconfig",
    "ListOptions",
    "ListWatch",
    "Lister",
    "ListerWatcher",
    "MetadataListWatch",
    "Overrides",
    "PatchType",
    "RESTMapper",
    "RESTMapping",
    "RateLimiter",
    "Reflector",
    "ReflectorOptions",
    "ResourceClient",
    "Response",
    "ServerWarning",
    "SharedInformer",
    "SharedInformerFactory",
    "ShutDown",
    "Transport",
    "WatchEvent",
    "WatchStream",
    "WorkQueue",
    "default_controller_rate_limiter",
    "deleted_object",
    "object_key",
    "split_key",
]

_MODULES = {
    "authentication.credentials": ("Credentials",),
    "errors": ("ClientError",),
    "informers.delta_fifo": ("DeletedFinalStateUnknown",),
    "informers.factory": ("SharedInformerFactory",),
    "informers.handlers": (
        "EventHandler",
        "FilteringHandler",
        "HandlerFunctions",
        "deleted_object",
    ),
    "informers.indexer": (
        "Indexer",
        "Lister",
        "object_key",
        "split_key",
    ),
    "informers.informer": ("SharedInformer",),
    "informers.list_watch": (
        "ListWatch",
        "ListerWatcher",
        "METADATA",
        "METADATA_LIST",
        "MetadataListWatch",
    ),
    "informers.reflector": (
        "Reflector",
        "ReflectorOptions",
    ),
    "kubeconfig": (
        "ClientConfig",
        "Kubeconfig",
        "Overrides",
    ),
    "rest.client": ("Client",),
    "rest.discovery": (
        "APIGroup",
        "APIResource",
        "Discovered",
        "Discovery",
    ),
    "rest.mapper": (
        "DiscoveryMapper",
        "RESTMapper",
        "RESTMapping",
    ),
    "rest.names": ("GroupVersionResource",),
    "rest.options": ("ListOptions",),
    "rest.resources": (
        "PatchType",
        "ResourceClient",
    ),
    "rest.watch": (
        "WatchEvent",
        "WatchStream",
    ),
    "transport.aiohttp_transport": ("HTTPTransport",),
    "transport.headers": ("ServerWarning",),
    "transport.interface": (
        "BufferedResponse",
        "Response",
        "Transport",
    ),
    "workqueue.queue": (
        "ShutDown",
        "WorkQueue",
    ),
    "workqueue.rate_limiters": (
        "RateLimiter",
        "default_controller_rate_limiter",
    ),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
