"""What happens in a day, without waiting for it: schedules, deadlines, and what is kept for a while only."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import NotFound
from localplane.testing import Cluster

pytestmark = pytest.mark.localplane(controllers=["*"], nodes=1)

REPORT = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 6 * * *"
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      ttlSecondsAfterFinished: 3600
      backoffLimit: 0
      template:
        spec: {restartPolicy: Never, containers: [{name: report, image: report, command: [sleep, "90"]}]}
"""


def test_a_report_is_written_every_morning_and_cleared_away(cluster: Cluster) -> None:
    cluster.apply(REPORT)
    before = cluster.now
    cluster.advance(days=2)
    last = cluster.get("cronjob/report")["status"]["lastSuccessfulTime"]
    assert last > before.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert len(cluster.list("jobs")) <= 1, "yesterday's is gone"


def test_a_report_that_takes_too_long_is_given_up(cluster: Cluster) -> None:
    cluster.apply(REPORT.replace("backoffLimit: 0", "activeDeadlineSeconds: 60"))
    cluster.kctl("create", "job", "now", "--from=cronjob/report")
    cluster.advance("2m")
    (failed,) = (one for one in cluster.get("job/now")["status"]["conditions"] if one["type"] == "Failed")
    assert failed["reason"] == "DeadlineExceeded"
    cluster.advance(hours=1)
    with pytest.raises(NotFound):
        cluster.get("job/now")
