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

Beside these:

    admissionregistration/    webhooks and admission policies: what an administrator configures
    apps/                     the apps group: controllers that keep pods running, and the history of what they ran
    authentication/           who is it? Reviews that are answered and never stored: TokenReview, SelfSubjectReview
    authorization/            may they? Reviews that are answered and never stored
    autoscaling/              the autoscaling group: who says how many there should be
    batch/                    the batch group: work that ends, and work that is begun again by the clock
    certificates/             certificate signing requests, trust bundles, and requests for certificates of pods
    coordination/             Leases
    core/                     the kinds of the core group (`/api/v1`): one file for each, or a small package
    declarations              from the table of resources and a kind's own behaviour to what the library serves
    discovery/                discovery.k8s.io: EndpointSlices
    events/                   Events, as events.k8s.io has them: the same objects as the core group's, in another shape
    flowcontrol/              priority levels and flow schemas: who waits for whom when there is much to do
    internal_form             objects as Go prints Kubernetes' internal types, which messages about pods are full of
    json_schemas              the types that are a JSON schema or something else, as Go's methods for them read JSON
    kubelets                  who answers for nodes: the server hands a log or a stream to a kubelet
    networking/               networking.k8s.io: how traffic finds its way, and who may talk to whom
    node/                     runtime classes
    options                   what the built-in kinds want to know of the server that they are served by
    pod_controllers           what kinds that make pods from a template have in common
    policy/                   the policy group: budgets for disruptions
    quota/                    what an object counts against a ResourceQuota, and which quotas it counts against
    rbac/                     roles, and who has them
    scale                     scale: the one number that autoscalers and `kubectl scale` change
    scheduling/               priority classes
    schemas                   the nodes of the built-in types
    service_addresses         where a Service can be reached from here
    storage/                  storage: classes of it, the drivers that make it, where they run, what they have left
    storagemigration/         storage version migrations
    tokens                    what the built-in kinds ask of whoever signs the tokens of service accounts
    unified_diff              what differs between two texts, line by line, in the form of `diff -u`
"""
