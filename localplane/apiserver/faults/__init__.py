"""Faults on demand: what goes wrong for requests that somebody has chosen, as often as he has said.

`table` has the rules that hold now, decides for each request whether one strikes, and records it. `rule` is what one
asks for: which requests, how often, and what happens to them; `rule_form` reads and shows it as JSON, and `active_rule`
counts for it. `watches` lets an open watch go wrong.

The filter of the same name (`endpoints/filters`) does to a request what its rule says; the servers ask about webhooks
and other servers' APIs; `storage/outage` is what a lost store looks like. Nothing here knows HTTP. A server without
rules pays for one look at an empty table, and has imported nothing but the table.
"""

from .table import Faults, RuleExists

__all__ = ["Faults", "RuleExists"]
