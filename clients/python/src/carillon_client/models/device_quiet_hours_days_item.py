from typing import Literal, cast

DeviceQuietHoursDaysItem = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]


def check_device_quiet_hours_days_item(value: str) -> DeviceQuietHoursDaysItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceQuietHoursDaysItem, value)
