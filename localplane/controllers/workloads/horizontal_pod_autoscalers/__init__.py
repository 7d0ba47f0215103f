"""HorizontalPodAutoscalers: as many pods as the work asks for, as metrics tell it.

`controller` looks at every autoscaler once in a while and scales its target; `measurements` asks the metrics APIs,
`replicas` counts how many pods a measurement is work for, `proposals` does so for every kind of metric, and `behavior`
keeps changes within what an autoscaler's behavior allows. Kubernetes: pkg/controller/podautoscaler.
"""

from .controller import AutoscalerOptions, start

__all__ = ["AutoscalerOptions", "start"]
