from typing import Literal, cast

AndroidRegistrationPushTokenTypeType0 = Literal["fid", "token"]


def check_android_registration_push_token_type_type_0(
    value: str,
) -> AndroidRegistrationPushTokenTypeType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AndroidRegistrationPushTokenTypeType0, value)
