from typing import Literal, cast

QuietHoursQuietHoursType0DaysItem = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]


def check_quiet_hours_quiet_hours_type_0_days_item(
    value: str,
) -> QuietHoursQuietHoursType0DaysItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(QuietHoursQuietHoursType0DaysItem, value)
