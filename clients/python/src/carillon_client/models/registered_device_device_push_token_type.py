from typing import Literal, cast

RegisteredDeviceDevicePushTokenType = Literal["fid", "token"]


def check_registered_device_device_push_token_type(
    value: str,
) -> RegisteredDeviceDevicePushTokenType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisteredDeviceDevicePushTokenType, value)
