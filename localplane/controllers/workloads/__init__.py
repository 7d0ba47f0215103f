"""Controllers of what runs, and what several of them share.

    deployments/, replica_sets, replication_controllers, stateful_sets/, daemon_sets/   pods that shall be there
    jobs/, cron_jobs/, ttl_after_finished        pods that shall end
    horizontal_pod_autoscalers/, disruption      how many there shall be, and how few may be left
    revisions, scales, expectations, owner_calls   what several share: templates' history, the scale subresource, own
                                                   writes that have not come back yet, whom an event concerns

`controllers.selection` names them, and none is imported before its first object is there.
"""
