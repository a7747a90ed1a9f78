from typing import Literal, cast

AudienceUsesNotificationsItemState = Literal["scheduled", "sending"]


def check_audience_uses_notifications_item_state(
    value: str,
) -> AudienceUsesNotificationsItemState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AudienceUsesNotificationsItemState, value)
