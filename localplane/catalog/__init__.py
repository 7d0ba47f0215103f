"""The built-in kinds of Kubernetes: tables of facts, and in code only what no table can say.

`groups` lists them all; a kind is one file (or a small package) in the folder of its group, and one line in the group's
tuple. The servers install what is declared here. Nothing in here knows of sockets, flags or controllers.

A kind's file says, from top to bottom: its defaults, its rules, its strategy, its columns, and the resource itself.

    class CSIStorageCapacityStrategy(BuiltinStrategy):
        tracks_generation = False
        rules = Fields(nodeTopology=selector_errors, storageClassName=Always(DNS_SUBDOMAIN), capacity=_capacity_errors)
        changes = Immutable("nodeTopology", "storageClassName")
        on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

`strategy.BuiltinStrategy` has the ceremony: metadata, whether the kind has namespaces (from the table), and what an
update is asked, in which order. `validation.rules` has the words for rules of a common sort (required, one of these,
between, at most so many, unique, a name of this form, immutable); they are compiled when the class is made, run in the
order in which they stand, which is Kubernetes', and speak its words. Where fields relate to one another a rule is a
function of a value and its path, and stands among the others.
"""
