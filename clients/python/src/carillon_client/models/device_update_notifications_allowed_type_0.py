from typing import Literal, cast

DeviceUpdateNotificationsAllowedType0 = Literal["Disabled", "Enabled", "Unknown"]


def check_device_update_notifications_allowed_type_0(
    value: str,
) -> DeviceUpdateNotificationsAllowedType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceUpdateNotificationsAllowedType0, value)
