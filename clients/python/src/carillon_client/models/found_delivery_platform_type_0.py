from typing import Literal, cast

FoundDeliveryPlatformType0 = Literal["Android", "iOS"]


def check_found_delivery_platform_type_0(value: str) -> FoundDeliveryPlatformType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(FoundDeliveryPlatformType0, value)
