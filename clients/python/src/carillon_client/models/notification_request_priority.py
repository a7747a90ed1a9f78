from typing import Literal, cast

NotificationRequestPriority = Literal["high", "normal"]


def check_notification_request_priority(value: str) -> NotificationRequestPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestPriority, value)
