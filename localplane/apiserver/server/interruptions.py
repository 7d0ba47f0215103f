"""Faults that strike watches which are open already: a rule that ends watches does not wait for the next one."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from localplane.apimachinery.errors import Expired
from localplane.apiserver.endpoints.representation.watch_events import failure
from localplane.apiserver.faults import Faults
from localplane.apiserver.faults.active_rule import ActiveRule
from localplane.apiserver.faults.rule import Ending
from localplane.apiserver.faults.watches import TOO_OLD

from .http.stream_writer import OpenStream, StreamWriter


class Interruptions:
    """Ends watches of a server as the rules say that are added while they run."""

    def __init__(self, faults: Faults, streams: StreamWriter) -> None:
        self._faults = faults
        self._streams = streams

    def begin(self, active: ActiveRule) -> None:
        """Those that match count, and are struck, in the order in which they began. A rule that counts events leaves
        them alone: nobody has counted theirs."""
        fault = active.rule.fault.watch
        if fault is None or not fault.strikes_running:
            return
        for stream in self._streams.all_open():
            request = stream.request
            if request.info.verb != "watch" or not active.rule.match.matches(request, name=request.info.name):
                continue
            if active.strikes():
                self._faults.note(active, active.subject(request))
                wait = active.rule.fault.latency + (fault.after or timedelta())
                asyncio.get_running_loop().call_later(wait.total_seconds(), self._end, active, stream)

    def _end(self, active: ActiveRule, stream: OpenStream) -> None:
        """Unless the rule, or the watch, is gone by now."""
        fault = active.rule.fault.watch
        if active.is_over or fault is None:
            return
        match fault.ending:
            case Ending.CUT:
                stream.sever()
            case Ending.EXPIRE:
                stream.end(failure(Expired(TOO_OLD), protobuf="protobuf" in stream.content_type))
            case _:
                stream.end()
