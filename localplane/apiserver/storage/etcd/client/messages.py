"""etcd's protobuf messages, only those and only the fields that we use.

The classes are built at import from the table below, so there is no generated code to keep in step with the protobuf
runtime. Field numbers are etcd's (api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto); numbers left out are skipped by
the parser. Enumerations are declared as int32, which is the same on the wire.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

# One message a line: its name, then `number type name` separated by commas; `*` means repeated.
_TABLE = """
ResponseHeader: 1 uint64 cluster_id, 2 uint64 member_id, 3 int64 revision, 4 uint64 raft_term
KeyValue: 1 bytes key, 2 int64 create_revision, 3 int64 mod_revision, 4 int64 version, 5 bytes value, 6 int64 lease
Event: 1 int32 type, 2 KeyValue kv, 3 KeyValue prev_kv

RangeRequest: 1 bytes key, 2 bytes range_end, 3 int64 limit, 4 int64 revision, 8 bool keys_only, 9 bool count_only
RangeResponse: 1 ResponseHeader header, 2 *KeyValue kvs, 3 bool more, 4 int64 count
PutRequest: 1 bytes key, 2 bytes value, 3 int64 lease
PutResponse: 1 ResponseHeader header
DeleteRangeRequest: 1 bytes key, 2 bytes range_end, 3 bool prev_kv
DeleteRangeResponse: 1 ResponseHeader header, 2 int64 deleted, 3 *KeyValue prev_kvs

Compare: 1 int32 result, 2 int32 target, 3 bytes key, 6 int64 mod_revision
RequestOp: 1 RangeRequest request_range, 2 PutRequest request_put, 3 DeleteRangeRequest request_delete_range
ResponseOp: 1 RangeResponse response_range, 2 PutResponse response_put, 3 DeleteRangeResponse response_delete_range
TxnRequest: 1 *Compare compare, 2 *RequestOp success, 3 *RequestOp failure
TxnResponse: 1 ResponseHeader header, 2 bool succeeded, 3 *ResponseOp responses
CompactionRequest: 1 int64 revision, 2 bool physical
CompactionResponse: 1 ResponseHeader header

WatchCreateRequest: 1 bytes key, 2 bytes range_end, 3 int64 start_revision, 4 bool progress_notify, 6 bool prev_kv,\
 8 bool fragment
WatchCancelRequest: 1 int64 watch_id
WatchProgressRequest:
WatchRequest: 1 WatchCreateRequest create_request, 2 WatchCancelRequest cancel_request,\
 3 WatchProgressRequest progress_request
WatchResponse: 1 ResponseHeader header, 2 int64 watch_id, 3 bool created, 4 bool canceled, 5 int64 compact_revision,\
 6 string cancel_reason, 7 bool fragment, 11 *Event events

LeaseGrantRequest: 1 int64 TTL, 2 int64 ID
LeaseGrantResponse: 1 ResponseHeader header, 2 int64 ID, 3 int64 TTL, 4 string error
LeaseRevokeRequest: 1 int64 ID
LeaseRevokeResponse: 1 ResponseHeader header
LeaseKeepAliveRequest: 1 int64 ID
LeaseKeepAliveResponse: 1 ResponseHeader header, 2 int64 ID, 3 int64 TTL

AuthenticateRequest: 1 string name, 2 string password
AuthenticateResponse: 1 ResponseHeader header, 2 string token

StatusRequest:
StatusResponse: 1 ResponseHeader header, 2 string version, 3 int64 dbSize, 4 uint64 leader, 8 *string errors,\
 9 int64 dbSizeInUse
AlarmMember: 1 uint64 memberID, 2 int32 alarm
AlarmRequest: 1 int32 action, 2 uint64 memberID, 3 int32 alarm
AlarmResponse: 1 ResponseHeader header, 2 *AlarmMember alarms
DefragmentRequest:
DefragmentResponse: 1 ResponseHeader header
"""

_PACKAGE = "etcdserverpb"
_SCALARS = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "string": FieldDescriptorProto.TYPE_STRING,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
}


def _file() -> FileDescriptorProto:
    """The table as a descriptor.

    Its syntax is proto2, so that a zero that was set is also sent: a compare with revision 0 that arrives without
    its number compares nothing, and etcd calls that equal.
    """
    file = FileDescriptorProto(name="etcd.proto", package=_PACKAGE, syntax="proto2")
    for line in filter(None, _TABLE.splitlines()):
        name, _, fields = line.partition(":")
        message = file.message_type.add(name=name)
        for declaration in filter(None, fields.split(",")):
            number, kind, field_name = declaration.split()
            field = message.field.add(name=field_name, number=int(number))
            repeated = kind.startswith("*")
            field.label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
            kind = kind.lstrip("*")
            if kind in _SCALARS:
                field.type = _SCALARS[kind]
            else:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{kind}"
    return file


_pool = DescriptorPool()  # our own, so that another package's etcd messages can't collide with these
_pool.Add(_file())


def _message(name: str) -> Any:
    """A message class. Its type is Any, because a type checker can't see what is built at import."""
    return GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


RangeRequest = _message("RangeRequest")
RangeResponse = _message("RangeResponse")
PutRequest = _message("PutRequest")
DeleteRangeRequest = _message("DeleteRangeRequest")
Compare = _message("Compare")
RequestOp = _message("RequestOp")
TxnRequest = _message("TxnRequest")
TxnResponse = _message("TxnResponse")
CompactionRequest = _message("CompactionRequest")
CompactionResponse = _message("CompactionResponse")
WatchCreateRequest = _message("WatchCreateRequest")
WatchProgressRequest = _message("WatchProgressRequest")
WatchRequest = _message("WatchRequest")
WatchResponse = _message("WatchResponse")
LeaseGrantRequest = _message("LeaseGrantRequest")
LeaseGrantResponse = _message("LeaseGrantResponse")
LeaseKeepAliveRequest = _message("LeaseKeepAliveRequest")
LeaseKeepAliveResponse = _message("LeaseKeepAliveResponse")
LeaseRevokeRequest = _message("LeaseRevokeRequest")
LeaseRevokeResponse = _message("LeaseRevokeResponse")
AuthenticateRequest = _message("AuthenticateRequest")
AuthenticateResponse = _message("AuthenticateResponse")
StatusRequest = _message("StatusRequest")
StatusResponse = _message("StatusResponse")
AlarmRequest = _message("AlarmRequest")
AlarmResponse = _message("AlarmResponse")
DefragmentRequest = _message("DefragmentRequest")
DefragmentResponse = _message("DefragmentResponse")

COMPARE_EQUAL, COMPARE_MOD = 0, 2  # Compare.CompareResult, Compare.CompareTarget
EVENT_DELETE = 1  # Event.EventType
ALARM_GET, ALARM_DEACTIVATE = 0, 2  # AlarmRequest.AlarmAction
ALARM_NOSPACE = 1  # AlarmType
