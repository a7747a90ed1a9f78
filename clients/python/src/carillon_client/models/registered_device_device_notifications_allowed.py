from typing import Literal, cast

RegisteredDeviceDeviceNotificationsAllowed = Literal["Disabled", "Enabled", "Unknown"]


def check_registered_device_device_notifications_allowed(
    value: str,
) -> RegisteredDeviceDeviceNotificationsAllowed:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisteredDeviceDeviceNotificationsAllowed, value)
