from typing import Literal, cast

OverviewOverviewDevicesType0BySystemItemPlatform = Literal["Android", "iOS"]


def check_overview_overview_devices_type_0_by_system_item_platform(
    value: str,
) -> OverviewOverviewDevicesType0BySystemItemPlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(OverviewOverviewDevicesType0BySystemItemPlatform, value)
