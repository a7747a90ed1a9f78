from typing import Literal, cast

RegisteredDeviceDeviceQuietHoursType0DaysItem = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]


def check_registered_device_device_quiet_hours_type_0_days_item(
    value: str,
) -> RegisteredDeviceDeviceQuietHoursType0DaysItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisteredDeviceDeviceQuietHoursType0DaysItem, value)
