from typing import Literal, cast

DeviceQuietHoursType0DaysItem = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]


def check_device_quiet_hours_type_0_days_item(
    value: str,
) -> DeviceQuietHoursType0DaysItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceQuietHoursType0DaysItem, value)
