"""docs/api.md in Python: the same calls in the same order. `CARILLON_URL` and `CARILLON_KEY` say where, and with which key."""

from __future__ import annotations

import os

from audiences import ask_about_audiences
from carillon_client import Carillon
from devices import first_push, register_devices, report_events_of
from following import follow_notification
from keys import read_the_app, work_as_admin
from sending import send_notifications, set_moments

with Carillon(os.environ["CARILLON_URL"], os.environ["CARILLON_KEY"]) as carillon:
    first_push(carillon)
    device_id = register_devices(carillon)
    report_events_of(carillon, device_id)
    sent = send_notifications(carillon)
    set_moments(carillon, device_id)
    follow_notification(carillon, sent["id"], device_id)
    ask_about_audiences(carillon, sent["to"]["id"], device_id)
    work_as_admin(carillon)
    read_the_app(carillon)
