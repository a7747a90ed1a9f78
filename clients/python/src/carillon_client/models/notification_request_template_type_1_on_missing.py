from typing import Literal, cast

NotificationRequestTemplateType1OnMissing = Literal["empty", "skip"]


def check_notification_request_template_type_1_on_missing(
    value: str,
) -> NotificationRequestTemplateType1OnMissing:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestTemplateType1OnMissing, value)
