"""The sections of docs/api.md about sending, and the hours and caps that an app sets."""

from __future__ import annotations

import datetime

from carillon_client import Carillon
from carillon_client.types import BatchItem, CreatedNotification, Payload
from show import show


def send_notifications(carillon: Carillon) -> CreatedNotification:
    sent = carillon.create_notification(
        {
            "to": [{"name": "user_id", "criteria": ["user-17"]}],
            "payload": {"title": "Order 4711", "alert": "It is on its way.", "order_id": 4711},
            "time_to_live": 3600,
            "priority": "high",
        },
        idempotency_key="order-4711-shipped",  # without it, the client makes a key
    )
    show("Send a notification", sent)

    preview = carillon.preview_notification(
        {"to": "*", "payload": {"title": "Order 4711", "alert": "It is on its way."}, "time_to_live": 3600}
    )
    show("Send a notification > Preview it", preview)
    show("Send a notification > Count its devices", carillon.count_notification("*"))

    many: list[BatchItem] = [
        {
            "notification": {"to": {"user_id": "user-17"}, "payload": {"alert": "Hello Anna"}},
            "idempotency_key": "hello-17",
        },
        {
            "notification": {
                "to": {"audience": "b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"},
                "payload": {"alert": "Hello"},
            },
        },
    ]
    show("Send a notification > Send up to 1,000 in one call", carillon.create_notifications(many))
    # Any number of them, in batches:
    assert [entry["status"] for entry in carillon.send_many(many)] == [201, 404]
    return sent


def set_moments(carillon: Carillon, device_id: str) -> None:
    day = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=3)
    time = f"{day}T09:00:00"
    morning: Payload = {"alert": "Good morning"}
    carillon.create_notification(
        {
            "to": "*",
            "payload": morning,
            "deliver_at_local": {"time": time, "no_time_zone": "Europe/Berlin"},
            "spread_over": "PT15M",
        }
    )
    waves = carillon.plan_notification_waves(
        {"to": "*", "payload": morning, "deliver_at_local": {"time": time, "no_time_zone": "skip"}}
    )
    show("Send a notification > At local time", waves)

    hours = {"from": "22:00", "to": "08:00", "no_time_zone": "Europe/Berlin", "action": "hold"}
    carillon.call("PUT", "/v6/app/quiet-hours", body={"quiet_hours": hours})
    none = carillon.call("PUT", "/v6/app/quiet-hours", body={"quiet_hours": None})
    show("Send a notification > Quiet hours", none)

    updated = carillon.update_device(
        device_id,
        {
            "quiet_hours": {
                "from": "22:00",
                "to": "07:00",
                "days": ["sunday", "monday", "tuesday", "wednesday", "thursday"],
            }
        },
    )
    show("Send a notification > Quiet hours > Quiet hours of a device", updated["device"]["quiet_hours"])
    carillon.update_device(device_id, {"quiet_hours": None})

    limits = [{"at_most": 2, "per": "P1D"}, {"at_most": 5, "per": "P7D"}]
    caps = [{"group": "marketing", "by": "user", "limits": limits}]
    set_caps = carillon.call("PUT", "/v6/app/frequency-caps", body={"frequency_caps": caps})
    show("Send a notification > Frequency caps", set_caps)
