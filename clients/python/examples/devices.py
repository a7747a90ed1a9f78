"""The sections of docs/api.md about devices, users and events, after the first push of README.md."""

from __future__ import annotations

from carillon_client import Carillon
from show import show


def first_push(carillon: Carillon) -> None:
    carillon.register_device(
        {
            "platform": "iOS",
            "push_token": "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
            "locale": "fr_FR",
            "app_version": "2.1",
            "tags": ["beta"],
            "custom": {"plan": {"type": "string", "value": "gold"}},
        }
    )
    carillon.create_notification(
        {
            "to": [
                {"name": "locale", "criteria": ["fr_FR", "fr_CA"]},
                {"name": "app_version", "criteria": [{"gte": "2.0"}]},
                {"name": "custom.string.plan", "criteria": ["free"], "not_filter": True},
            ],
            "payload": {"alert": "Bonjour !", "sound": "bell.caf", "order_id": 4711},
        }
    )


def register_devices(carillon: Carillon) -> str:
    registered = carillon.register_device(
        {
            "platform": "Android",
            "push_token": "fGhJ7kQ2:APA91bF-sample",
            "locale": "en_GB",
            "time_zone": "Europe/London",
            "os_name": "Android",
            "os_version": "16",
            "app_version": "2.10.1",
            "marketing_name": "Pixel 10",
            "user_id": "user-17",
            "notifications_allowed": "Enabled",
            "tags": ["beta", "news"],
            "location": {"latitude": 51.5072, "longitude": -0.1276},
            "custom": {
                "visits": {"type": "integer", "value": 41},
                "teams": {"type": "string", "value": ["reds", "blues"]},
            },
        }
    )
    show("Devices > Register a device", registered)
    device_id = registered["device"]["id"]

    show("Devices > Read a device", carillon.read_device(device_id)["device"]["tags"])
    found = carillon.look_up_devices("user-17")
    show("Devices > Look a device up", [device["match"] for device in found["devices"]])
    show("Devices > Read the state of its push token", carillon.read_push_token(device_id))
    show("Devices > List its pushes", carillon.list_device_pushes(device_id))

    updated = carillon.update_device(
        device_id,
        {"app_version": "2.11", "tags": ["news"], "custom": {"visits": {"type": "integer", "value": 42}}},
    )
    show("Devices > Update a device", updated)

    unused = carillon.register_device({"platform": "Android", "push_token": "an-old-token"})
    carillon.erase_device(unused["device"]["id"])
    show("Devices > Erase a device", None)

    imported = carillon.import_devices(
        [
            {"platform": "Android", "push_token": "imported-1", "locale": "de_DE", "tags": ["news"]},
            {"platform": "Android", "push_token": "imported-2", "locale": "Deutsch"},
            {"platform": "Android", "push_token": "null"},
        ]
    )
    show("Devices > Import devices", imported)
    return device_id


def report_events_of(carillon: Carillon, device_id: str) -> None:
    carillon.report_device_events(
        device_id,
        [
            {"name": "purchase"},
            {"name": "purchase", "date": "2026-11-20T18:30:00Z"},
            {"name": "viewed_offer", "source": "Mixpanel"},
        ],
    )
    carillon.report_user_events("user-17", [{"name": "renewed"}])
    show("Users and events > Report events", {})
    updated = carillon.update_user("user-17", {"custom": {"plan": {"type": "string", "value": "gold"}}})
    show("Users and events > Set custom attributes of a user", updated)
    show("Users and events > List the pushes of a user", carillon.list_user_pushes("user-17"))
