from typing import Literal, cast

AndroidRegistrationNotificationsAllowedType0 = Literal["Disabled", "Enabled", "Unknown"]


def check_android_registration_notifications_allowed_type_0(
    value: str,
) -> AndroidRegistrationNotificationsAllowedType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AndroidRegistrationNotificationsAllowedType0, value)
