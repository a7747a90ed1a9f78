from typing import Literal, cast

RegisteredDeviceDevicePlatform = Literal["Android", "iOS"]


def check_registered_device_device_platform(
    value: str,
) -> RegisteredDeviceDevicePlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisteredDeviceDevicePlatform, value)
