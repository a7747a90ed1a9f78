from typing import Literal, cast

DevicePushTokenType = Literal["fid", "token"]


def check_device_push_token_type(value: str) -> DevicePushTokenType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DevicePushTokenType, value)
