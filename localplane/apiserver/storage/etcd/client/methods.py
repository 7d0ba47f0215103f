"""What can be called, and whether doing it twice would be doing it twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import messages


@dataclass(frozen=True, slots=True)
class Method:
    """One gRPC method. A method that `mutates` is never retried by the client, and when its answer is lost the
    error says that it may have happened."""

    path: str
    response: Any
    mutates: bool

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


RANGE = Method("/etcdserverpb.KV/Range", messages.RangeResponse, mutates=False)
TXN = Method("/etcdserverpb.KV/Txn", messages.TxnResponse, mutates=True)
COMPACT = Method("/etcdserverpb.KV/Compact", messages.CompactionResponse, mutates=True)
WATCH = Method("/etcdserverpb.Watch/Watch", messages.WatchResponse, mutates=False)
LEASE_GRANT = Method("/etcdserverpb.Lease/LeaseGrant", messages.LeaseGrantResponse, mutates=True)
LEASE_REVOKE = Method("/etcdserverpb.Lease/LeaseRevoke", messages.LeaseRevokeResponse, mutates=True)
STATUS = Method("/etcdserverpb.Maintenance/Status", messages.StatusResponse, mutates=False)
ALARM = Method("/etcdserverpb.Maintenance/Alarm", messages.AlarmResponse, mutates=True)
DEFRAGMENT = Method("/etcdserverpb.Maintenance/Defragment", messages.DefragmentResponse, mutates=True)
