from typing import Literal, cast

NotificationRequestQuietHoursType1 = Literal["ignore", "ignore_all"]


def check_notification_request_quiet_hours_type_1(
    value: str,
) -> NotificationRequestQuietHoursType1:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestQuietHoursType1, value)
