"""What verbs that change a cluster, or a kubeconfig, consist of: a room for each, named after the verb.

    apply/  create/  edit/  set/  rollout/  debug/  config/   the verbs of these names
    launch/         run, expose, autoscale                 nodes/       cordon, uncordon, drain, taint
    reconcile/      auth reconcile                         deletion     delete, and whoever deletes on the way
    metadata        label, annotate                        change_cause --record
    dry_run         --dry-run and --validate               temporary_files

`kctl.commands` calls these; what they show is made by `kctl.views` and `kctl.printers`.
"""
