from typing import Literal, cast

OverviewOverviewDevicesType0ByPlatformItemPlatform = Literal["Android", "iOS"]


def check_overview_overview_devices_type_0_by_platform_item_platform(
    value: str,
) -> OverviewOverviewDevicesType0ByPlatformItemPlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(OverviewOverviewDevicesType0ByPlatformItemPlatform, value)
