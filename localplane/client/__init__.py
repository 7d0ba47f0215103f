"""Talking to a Kubernetes API: kubeconfig, transport, discovery, resources, informers and work queues.

    kubeconfig/   files -> ClientConfig                credentials, exec_plugin, tls   who we are
    transport     what a request is; http_transport speaks it over sockets, a server may speak it in the same process
    client        one request: retries, warnings, errors     resources, watch, paging   the verbs
    discovery, mapper   which resources there are, and what people call them
    list_watch, reflector, delta_fifo, informer, listener   a copy of a collection that keeps itself current
    workqueue     what controllers take their keys from

The command line, the controllers and library users call it. It knows the vocabulary of `apimachinery` and nothing of
the server. Objects are plain dictionaries; those that come out of an informer are shared and must not be changed.

Names are imported when they are first used, so that reading a kubeconfig costs no HTTP library.
"""

from __future__ import annotations

from importlib import import_module

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import Client
    from .credentials import Credentials
    from .delta_fifo import DeletedFinalStateUnknown
    from .discovery import APIGroup, APIResource, Discovered, Discovery
    from .errors import ClientError
    from .factory import SharedInformerFactory
    from .handlers import EventHandler, FilteringHandler, HandlerFunctions, deleted_object
    from .http_transport import HTTPTransport
    from .indexer import Indexer, object_key, split_key
    from .informer import SharedInformer
    from .kubeconfig import ClientConfig, Kubeconfig, Overrides
    from .list_watch import METADATA, METADATA_LIST, ListerWatcher, ListWatch, MetadataListWatch
    from .lister import Lister
    from .mapper import DiscoveryMapper, RESTMapper, RESTMapping
    from .names import GroupVersionResource
    from .options import ListOptions
    from .rate_limiters import RateLimiter, default_controller_rate_limiter
    from .reflector import Reflector, ReflectorOptions
    from .resources import PatchType, ResourceClient
    from .transport import BufferedResponse, Response, Transport
    from .warnings import ServerWarning
    from .watch import WatchEvent, WatchStream
    from .workqueue import ShutDown, WorkQueue

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
    "client": ("Client",),
    "credentials": ("Credentials",),
    "delta_fifo": ("DeletedFinalStateUnknown",),
    "discovery": ("APIGroup", "APIResource", "Discovered", "Discovery"),
    "errors": ("ClientError",),
    "factory": ("SharedInformerFactory",),
    "handlers": ("EventHandler", "FilteringHandler", "HandlerFunctions", "deleted_object"),
    "http_transport": ("HTTPTransport",),
    "indexer": ("Indexer", "object_key", "split_key"),
    "informer": ("SharedInformer",),
    "kubeconfig": ("ClientConfig", "Kubeconfig", "Overrides"),
    "list_watch": ("METADATA", "METADATA_LIST", "ListWatch", "ListerWatcher", "MetadataListWatch"),
    "lister": ("Lister",),
    "mapper": ("DiscoveryMapper", "RESTMapper", "RESTMapping"),
    "names": ("GroupVersionResource",),
    "options": ("ListOptions",),
    "rate_limiters": ("RateLimiter", "default_controller_rate_limiter"),
    "reflector": ("Reflector", "ReflectorOptions"),
    "resources": ("PatchType", "ResourceClient"),
    "transport": ("BufferedResponse", "Response", "Transport"),
    "warnings": ("ServerWarning",),
    "watch": ("WatchEvent", "WatchStream"),
    "workqueue": ("ShutDown", "WorkQueue"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
