"""What can be called, and whether doing it twice would be doing it twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import messages


@dataclass(frozen=True, slots=True)
class Method:
    """One gRPC method. A method that `mutates` is sent again by the client only if it was certainly not looked at, and
    when its answer is lost the error says that it may have happened. The revision in the answer to a `linearizable` one
    is never behind what anybody was told before the call; others tell what one member knows."""

    path: str
    response: Any
    mutates: bool
    linearizable: bool = False

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


RANGE = Method("/etcdserverpb.KV/Range", messages.RangeResponse, mutates=False, linearizable=True)
TXN = Method("/etcdserverpb.KV/Txn", messages.TxnResponse, mutates=True, linearizable=True)
COMPACT = Method("/etcdserverpb.KV/Compact", messages.CompactionResponse, mutates=True)
WATCH = Method("/etcdserverpb.Watch/Watch", messages.WatchResponse, mutates=False)
LEASE_GRANT = Method("/etcdserverpb.Lease/LeaseGrant", messages.LeaseGrantResponse, mutates=True)
LEASE_REVOKE = Method("/etcdserverpb.Lease/LeaseRevoke", messages.LeaseRevokeResponse, mutates=True)
AUTHENTICATE = Method("/etcdserverpb.Auth/Authenticate", messages.AuthenticateResponse, mutates=False)
LEASE_KEEP_ALIVE = Method("/etcdserverpb.Lease/LeaseKeepAlive", messages.LeaseKeepAliveResponse, mutates=False)
STATUS = Method("/etcdserverpb.Maintenance/Status", messages.StatusResponse, mutates=False)
ALARM = Method("/etcdserverpb.Maintenance/Alarm", messages.AlarmResponse, mutates=True)
DEFRAGMENT = Method("/etcdserverpb.Maintenance/Defragment", messages.DefragmentResponse, mutates=True)
