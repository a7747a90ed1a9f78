from typing import Literal, cast

OverviewOverviewAttentionItemRouteType0 = Literal[
    "apns_production", "apns_sandbox", "fcm"
]


def check_overview_overview_attention_item_route_type_0(
    value: str,
) -> OverviewOverviewAttentionItemRouteType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(OverviewOverviewAttentionItemRouteType0, value)
