from typing import Literal, cast

CredentialsRoutesItemRoute = Literal["apns_production", "apns_sandbox", "fcm"]


def check_credentials_routes_item_route(value: str) -> CredentialsRoutesItemRoute:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsRoutesItemRoute, value)
