"""The sections of docs/api.md about sending, and the hours and caps that an app sets."""

from __future__ import annotations

import datetime
from uuid import UUID

from carillon_client import Carillon
from carillon_client.api.devices import update_device
from carillon_client.api.notifications import (
    count_notification,
    create_notification,
    create_notifications,
    plan_notification_waves,
    preview_notification,
)
from carillon_client.api.settings import set_frequency_caps, set_quiet_hours
from carillon_client.models import (
    BatchItem,
    CountNotification,
    CreatedNotification,
    CreateNotification,
    DeliverAtLocal,
    DeviceQuietHours,
    NotificationRequest,
    Payload,
    PreviewNotification,
    QuietHoursRule,
    SetFrequencyCaps,
    SetFrequencyCapsFrequencyCapsItem,
    SetFrequencyCapsFrequencyCapsItemLimitsItem,
    SetQuietHours,
    StoredTarget,
    TextFilter,
    UpdateDevice,
    DeviceUpdate,
    UserTarget,
)
from show import show


def send_notifications(carillon: Carillon) -> CreatedNotification:
    payload = Payload(title="Order 4711", alert="It is on its way.")
    payload["order_id"] = 4711
    notification = NotificationRequest(
        to=[TextFilter(name="user_id", criteria=["user-17"])],
        payload=payload,
        time_to_live=3600,
        priority="high",
    )
    sent = create_notification.sync(
        client=carillon,
        body=CreateNotification(notification),
        idempotency_key="order-4711-shipped",  # without it, the client makes a key
    )
    show("Send a notification", sent)

    plain = Payload(title="Order 4711", alert="It is on its way.")
    draft = NotificationRequest(to="*", payload=plain, time_to_live=3600)
    show(
        "Send a notification > Preview it",
        preview_notification.sync(client=carillon, body=PreviewNotification(draft)),
    )
    show(
        "Send a notification > Count its devices",
        count_notification.sync(client=carillon, body=CountNotification(to="*")),
    )

    many = [
        BatchItem(
            NotificationRequest(to=UserTarget(user_id="user-17"), payload=Payload(alert="Hello Anna")),
            idempotency_key="hello-17",
        ),
        BatchItem(
            NotificationRequest(
                to=StoredTarget(audience="b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"),
                payload=Payload(alert="Hello"),
            )
        ),
    ]
    show(
        "Send a notification > Send up to 1,000 in one call",
        create_notifications.sync(client=carillon, body=many),
    )
    # Any number of them, in batches:
    assert [(entry.line, entry.status) for entry in carillon.send_many(many)] == [(1, 201), (2, 404)]
    return sent


def set_moments(carillon: Carillon, device_id: UUID) -> None:
    day = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=3)).date()
    time = f"{day}T09:00:00"
    morning = Payload(alert="Good morning")
    notification = NotificationRequest(
        to="*",
        payload=morning,
        deliver_at_local=DeliverAtLocal(time=time, no_time_zone="Europe/Berlin"),
        spread_over="PT15M",
    )
    create_notification.sync(client=carillon, body=CreateNotification(notification))
    skipping = NotificationRequest(
        to="*", payload=morning, deliver_at_local=DeliverAtLocal(time=time, no_time_zone="skip")
    )
    show(
        "Send a notification > At local time",
        plan_notification_waves.sync(client=carillon, body=CreateNotification(skipping)),
    )

    hours = QuietHoursRule(
        from_="22:00", to="08:00", no_time_zone="Europe/Berlin", action="hold", release_over="PT15M"
    )
    set_quiet_hours.sync(client=carillon, body=SetQuietHours(hours))
    show(
        "Send a notification > Quiet hours",
        set_quiet_hours.sync(client=carillon, body=SetQuietHours(None)),
    )

    own = DeviceQuietHours(
        from_="22:00", to="07:00", days=["sunday", "monday", "tuesday", "wednesday", "thursday"]
    )
    updated = update_device.sync(
        device_id, client=carillon, body=UpdateDevice(DeviceUpdate(quiet_hours=own))
    )
    show("Send a notification > Quiet hours > Quiet hours of a device", updated.device.quiet_hours)
    update_device.sync(device_id, client=carillon, body=UpdateDevice(DeviceUpdate(quiet_hours=None)))

    limits = [
        SetFrequencyCapsFrequencyCapsItemLimitsItem(at_most=2, per="P1D"),
        SetFrequencyCapsFrequencyCapsItemLimitsItem(at_most=5, per="P7D"),
    ]
    caps = SetFrequencyCaps([SetFrequencyCapsFrequencyCapsItem(group="marketing", by="user", limits=limits)])
    show("Send a notification > Frequency caps", set_frequency_caps.sync(client=carillon, body=caps))
