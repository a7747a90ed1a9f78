from typing import Literal, cast

AppAppRoutesItemRoute = Literal["apns_production", "apns_sandbox", "fcm"]


def check_app_app_routes_item_route(value: str) -> AppAppRoutesItemRoute:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AppAppRoutesItemRoute, value)
