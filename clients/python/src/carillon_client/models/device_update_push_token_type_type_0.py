from typing import Literal, cast

DeviceUpdatePushTokenTypeType0 = Literal["fid", "token"]


def check_device_update_push_token_type_type_0(
    value: str,
) -> DeviceUpdatePushTokenTypeType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceUpdatePushTokenTypeType0, value)
