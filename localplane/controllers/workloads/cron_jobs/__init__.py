"""The cron job controller: jobs that begin by the clock.

`controller` hears of cron jobs and their jobs. `sync` looks at one cron job and starts a new job when its time has
come; `owned_jobs` follows those that run and clears away those that are over. `calendar` knows when a schedule is due,
and `due_times` what that means for a cron job that was not looked at in time.

A job is named after the minute that it was meant for, so that it is made once, whoever dies before writing that down.

Kubernetes: pkg/controller/cronjob.
"""

from .controller import start

__all__ = ["start"]
