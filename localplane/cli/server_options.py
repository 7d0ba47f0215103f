"""From what `kctl up` was asked for to what the composition root wants to know."""

from __future__ import annotations

from pathlib import Path

from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.etcd.space import DEFAULT_QUOTA_BYTES
from localplane.compose.cluster import ClusterOptions
from localplane.compose.storage import StorageKind, StorageOptions

from .context import context_name
from .options import UpOptions
from .ports import addresses


def cluster_options(options: UpOptions, *, data_dir: Path | None, port: int) -> ClusterOptions:
    """The server's name is the context's: its kubeconfig calls everything so."""
    return ClusterOptions(
        name=context_name(options.name),
        storage=storage_options(options, data_dir=data_dir),
        server=ServerOptions(addresses=addresses(options), port=port, allow_remote=options.allow_remote),
        controllers=options.controllers,
        enabled_admission_plugins=options.enable_admission_plugins,
        disabled_admission_plugins=options.disable_admission_plugins,
        nodes=options.nodes,
        seed=options.seed,
    )


def simulated_nodes(options: UpOptions) -> int:
    return ClusterOptions(controllers=options.controllers, nodes=options.nodes).simulated_nodes


def storage_options(options: UpOptions, *, data_dir: Path | None) -> StorageOptions:
    return StorageOptions(
        kind=StorageKind(options.storage) if options.storage else None,
        data_dir=data_dir,
        etcd_path=options.etcd,
        allow_unsafe_etcd=options.allow_unsafe_etcd,
        etcd_servers=options.etcd_servers,
        etcd_cafile=options.etcd_cafile,
        etcd_certfile=options.etcd_certfile,
        etcd_keyfile=options.etcd_keyfile,
        etcd_user=options.etcd_user,
        etcd_password_file=options.etcd_password_file,
        etcd_prefix=options.etcd_prefix,
        etcd_quota_bytes=options.etcd_quota_backend_bytes or DEFAULT_QUOTA_BYTES,
        accept_data_loss=options.accept_data_loss,
    )
