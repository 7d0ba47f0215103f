"""Devices that a pod claims: whether its claims are there, and on which nodes there are devices for them.

    claims       a pod's claims, and what they have against a node        selectors    whether a device is wanted
    inventory    the devices near a node, and those that are taken        allocation   one device for every wish
    reservations devices that we have promised, and telling the server

Kubernetes: pkg/scheduler/framework/plugins/dynamicresources and dynamic-resource-allocation/structured. Devices that
share counters, or can be given to several claims, are not given to anybody here, and extended resources never become
claims.
"""

from .claims import DeviceCheck, prepare
from .reservations import DeviceReservation, Devices

__all__ = ["DeviceCheck", "DeviceReservation", "Devices", "prepare"]
