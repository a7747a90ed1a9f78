from typing import Literal, cast

RegisteredDeviceDeviceCustomAdditionalPropertyType = Literal[
    "boolean", "date", "float", "integer", "string"
]


def check_registered_device_device_custom_additional_property_type(
    value: str,
) -> RegisteredDeviceDeviceCustomAdditionalPropertyType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisteredDeviceDeviceCustomAdditionalPropertyType, value)
