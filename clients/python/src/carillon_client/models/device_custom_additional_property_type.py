from typing import Literal, cast

DeviceCustomAdditionalPropertyType = Literal[
    "boolean", "date", "float", "integer", "string"
]


def check_device_custom_additional_property_type(
    value: str,
) -> DeviceCustomAdditionalPropertyType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceCustomAdditionalPropertyType, value)
