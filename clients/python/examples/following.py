"""The sections of docs/api.md about following a notification."""

from __future__ import annotations

import datetime
from uuid import UUID

from carillon_client import Carillon, pages
from carillon_client.api.devices import explain_delivery
from carillon_client.api.notifications import (
    cancel_notification,
    count_newer_notifications,
    create_notification,
    list_notifications,
    read_delivery,
    read_notification,
    read_notification_report,
    read_notification_stats,
    report_open,
    report_receipts,
    search_deliveries,
)
from carillon_client.models import CreateNotification, NotificationRequest, Payload, Receipt, ReportOpen
from show import show


def follow_notification(carillon: Carillon, sent: UUID, device_id: UUID) -> None:
    *_, last = carillon.watch(sent)
    show("Follow a notification > Watch it", last)
    show("Follow a notification > Read it", read_notification.sync(sent, client=carillon))

    every_page = pages(lambda cursor: list_notifications.sync(client=carillon, per=1, cursor=cursor))
    ids = [str(notification.id) for page in every_page for notification in page.notifications]
    show("Follow a notification > List them", ids)
    newest = list_notifications.sync(client=carillon, per=1).meta.newest
    assert newest is not None
    show(
        "Follow a notification > Count newer ones",
        count_newer_notifications.sync(client=carillon, than=newest),
    )

    show(
        "Follow a notification > Ask why devices did not get it",
        read_notification_report.sync(sent, client=carillon),
    )
    show(
        "Follow a notification > Ask what became of one device",
        read_delivery.sync(sent, device_id, client=carillon),
    )
    show(
        "Follow a notification > Ask why a device did not get it",
        explain_delivery.sync(sent, device_id, client=carillon),
    )
    show(
        "Follow a notification > Find devices by outcome",
        search_deliveries.sync(sent, client=carillon, outcome="accepted", per=1),
    )
    assert [found.device_id for found in carillon.export_deliveries(sent, outcome="accepted")] == [device_id]

    show(
        "Follow a notification > Report that it was opened",
        report_open.sync(sent, client=carillon, body=ReportOpen(str(device_id))),
    )
    receipts = [
        Receipt(notification=sent, device=device_id, shown=True),
        Receipt(notification="last week's", device=device_id),  # type: ignore[arg-type]  # an old app
    ]
    show(
        "Follow a notification > Report that it was received",
        report_receipts.sync(client=carillon, body=receipts),
    )
    show("Follow a notification > Read its numbers", read_notification_stats.sync(sent, client=carillon))

    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    body = NotificationRequest(to="*", deliver_at=soon.isoformat(), payload=Payload(alert="Soon"))
    later = create_notification.sync(client=carillon, body=CreateNotification(body))
    show("Follow a notification > Cancel it", cancel_notification.sync(later.id, client=carillon))
