"""The sections of docs/api.md about devices, users and events, after the first push of README.md."""

from __future__ import annotations

from uuid import UUID

from carillon_client import Carillon
from carillon_client.api.devices import (
    erase_device,
    list_device_outcomes,
    look_up_devices,
    read_device,
    read_device_map,
    read_push_token,
    register_device,
    report_device_events,
    update_device,
)
from carillon_client.api.notifications import create_notification
from carillon_client.api.users import report_user_events, update_user
from carillon_client.models import (
    AndroidRegistration,
    CreateNotification,
    CustomAttributes,
    IosRegistration,
    LookUpDevices,
    NotificationRequest,
    Payload,
    Place,
    RegisterDevice,
    ReportEvents,
    DeviceEvent,
    TextFilter,
    UpdateDevice,
    DeviceUpdate,
    UpdateUser,
    UpdateUserUser,
    VersionFilter,
    VersionRange,
)
from show import show


def first_push(carillon: Carillon) -> None:
    device = IosRegistration(
        platform="iOS",
        push_token="00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
        locale="fr_FR",
        app_version="2.1",
        tags=["beta"],
        custom=CustomAttributes.from_dict({"plan": {"type": "string", "value": "gold"}}),
    )
    register_device.sync(client=carillon, body=RegisterDevice(device))
    payload = Payload(alert="Bonjour !", sound="bell.caf")
    payload["order_id"] = 4711
    notification = NotificationRequest(
        to=[
            TextFilter(name="locale", criteria=["fr_FR", "fr_CA"]),
            VersionFilter(name="app_version", criteria=[VersionRange(gte="2.0")]),
            TextFilter(name="custom.string.plan", criteria=["free"], not_filter=True),
        ],
        payload=payload,
    )
    create_notification.sync(client=carillon, body=CreateNotification(notification))


def register_devices(carillon: Carillon) -> UUID:
    device = AndroidRegistration(
        platform="Android",
        push_token="fGhJ7kQ2:APA91bF-sample",
        locale="en_GB",
        time_zone="Europe/London",
        os_name="Android",
        os_version="16",
        app_version="2.10.1",
        marketing_name="Pixel 10",
        user_id="user-17",
        notifications_allowed="Enabled",
        tags=["beta", "news"],
        location=Place(latitude=51.5072, longitude=-0.1276),
        custom=CustomAttributes.from_dict(
            {
                "visits": {"type": "integer", "value": 41},
                "teams": {"type": "string", "value": ["reds", "blues"]},
            }
        ),
    )
    registered = register_device.sync(client=carillon, body=RegisterDevice(device))
    show("Devices > Register a device", registered)
    device_id = registered.device.id

    show("Devices > Read a device", read_device.sync(device_id, client=carillon).device.tags)
    found = look_up_devices.sync(client=carillon, body=LookUpDevices(query="user-17"))
    show("Devices > Look a device up", [device.match for device in found.devices])
    show("Devices > Read the state of its push token", read_push_token.sync(device_id, client=carillon))
    show("Devices > List its last outcomes", list_device_outcomes.sync(device_id, client=carillon))

    visits = CustomAttributes.from_dict({"visits": {"type": "integer", "value": 42}})
    update = UpdateDevice(DeviceUpdate(app_version="2.11", tags=["news"], custom=visits))
    show("Devices > Update a device", update_device.sync(device_id, client=carillon, body=update))

    old = RegisterDevice(AndroidRegistration(platform="Android", push_token="an-old-token"))
    unused = register_device.sync(client=carillon, body=old).device.id
    erase_device.sync(unused, client=carillon)
    show("Devices > Erase a device", None)

    imported = carillon.import_devices(
        [
            AndroidRegistration("Android", push_token="imported-1", locale="de_DE", tags=["news"]),
            AndroidRegistration("Android", push_token="imported-2", locale="Deutsch"),
            AndroidRegistration("Android", push_token="null"),
        ]
    )
    show("Devices > Import devices", imported)
    show(
        "Devices > Map devices",
        read_device_map.sync(client=carillon, south=48, west=-5, north=56, east=5).cells,
    )
    return device_id


def report_events_of(carillon: Carillon, device_id: UUID) -> None:
    events = [
        DeviceEvent(name="purchase"),
        DeviceEvent(name="purchase", date="2026-11-20T18:30:00Z"),
        DeviceEvent(name="viewed_offer", source="Mixpanel"),
    ]
    report_device_events.sync(device_id, client=carillon, body=ReportEvents(events))
    renewed = ReportEvents([DeviceEvent(name="renewed")])
    show(
        "Users and events > Report events",
        report_user_events.sync("user-17", client=carillon, body=renewed),
    )
    plan = CustomAttributes.from_dict({"plan": {"type": "string", "value": "gold"}})
    show(
        "Users and events > Set custom attributes of a user",
        update_user.sync("user-17", client=carillon, body=UpdateUser(UpdateUserUser(plan))),
    )
