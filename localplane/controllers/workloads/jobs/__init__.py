"""The job controller: pods that run to their end, as many as it takes, and each of them counted once.

`controller` hears of jobs and pods and says what is to be looked at. `sync` looks at one job: what its pods say
(`survey`), whether that is its end (`verdict`), how many more pods it needs (`parallelism`), and what is written down
of it (`tracker`). `finalizers` lets go of pods whose job is over. The rest are the subjects that these share.

The count is safe whatever dies in between, because every pod of a job has a finalizer. First the pod's uid is written
into the job's status, then its finalizer is removed, then the uid becomes one more in the counter: a pod that still has
its finalizer is never counted, one that has lost it is never looked at again.

Kubernetes: pkg/controller/job.

Beside these:

    backoff       how long a job waits before it replaces a pod that failed
    conditions    the conditions in a job's status
    indexes       sets of completion indexes, as short as a job's status writes them: `0-2,5,7`
    policies      the rules that a job may have for pods that fail, and for being content before all indexes are done
    terms         what a job asks for, and what it knows its pods by
"""

from .controller import start

__all__ = ["start"]
