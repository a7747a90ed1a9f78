from typing import Literal, cast

DeviceNotificationsAllowed = Literal["Disabled", "Enabled", "Unknown"]


def check_device_notifications_allowed(value: str) -> DeviceNotificationsAllowed:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceNotificationsAllowed, value)
