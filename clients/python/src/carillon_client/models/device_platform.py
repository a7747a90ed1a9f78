from typing import Literal, cast

DevicePlatform = Literal["Android", "iOS"]


def check_device_platform(value: str) -> DevicePlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DevicePlatform, value)
