from typing import Literal, cast

DeviceUpdatePlatform = Literal["Android", "iOS"]


def check_device_update_platform(value: str) -> DeviceUpdatePlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceUpdatePlatform, value)
