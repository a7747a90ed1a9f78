from typing import Literal, cast

NotificationRequestApnsHeadersApnsPriority = Literal["1", "10", "5"]


def check_notification_request_apns_headers_apns_priority(
    value: str,
) -> NotificationRequestApnsHeadersApnsPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestApnsHeadersApnsPriority, value)
