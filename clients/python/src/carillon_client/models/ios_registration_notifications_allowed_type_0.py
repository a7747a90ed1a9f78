from typing import Literal, cast

IosRegistrationNotificationsAllowedType0 = Literal["Disabled", "Enabled", "Unknown"]


def check_ios_registration_notifications_allowed_type_0(
    value: str,
) -> IosRegistrationNotificationsAllowedType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(IosRegistrationNotificationsAllowedType0, value)
