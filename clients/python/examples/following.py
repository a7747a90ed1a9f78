"""The sections of docs/api.md about following a notification."""

from __future__ import annotations

import datetime

from carillon_client import Carillon, pages
from show import show


def follow_notification(carillon: Carillon, sent: str, device_id: str) -> None:
    *_, last = carillon.watch_notification(sent)
    show("Follow a notification > Watch it", last)
    show("Follow a notification > Read it", carillon.read_notification(sent))

    every_page = pages(lambda cursor: carillon.list_notifications(per=1, cursor=cursor))
    ids = [notification["id"] for page in every_page for notification in page["notifications"]]
    show("Follow a notification > List them", ids)
    newest = carillon.list_notifications(per=1)["meta"]["newest"]
    show("Follow a notification > Count newer ones", carillon.count_newer_notifications(than=newest))

    show("Follow a notification > Ask why devices did not get it", carillon.read_notification_report(sent))
    show("Follow a notification > Ask what became of one device", carillon.read_delivery(sent, device_id))
    show(
        "Follow a notification > Ask why a device did not get it", carillon.explain_delivery(sent, device_id)
    )
    found = carillon.search_deliveries(sent, outcome="accepted", per=1)
    show("Follow a notification > Find devices by outcome", found)
    exported = carillon.export_deliveries(sent, outcome="accepted")
    assert [delivery["device_id"] for delivery in exported] == [device_id]

    carillon.report_open(sent, device_id)
    show("Follow a notification > Report that it was opened", {})
    received = carillon.report_receipts(
        [
            {"notification": sent, "device": device_id, "shown": True},
            {"notification": "last week's", "device": device_id},
        ]
    )
    show("Follow a notification > Report that it was received", received)
    show("Follow a notification > Read its numbers", carillon.read_notification_stats(sent))

    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    later = carillon.create_notification(
        {"to": "*", "deliver_at": f"{soon:%Y-%m-%dT%H:%M:%S.000Z}", "payload": {"alert": "Soon"}}
    )
    show("Follow a notification > Cancel it", carillon.cancel_notification(later["id"]))
