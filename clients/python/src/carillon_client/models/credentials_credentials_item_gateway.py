from typing import Literal, cast

CredentialsCredentialsItemGateway = Literal["apns", "fcm"]


def check_credentials_credentials_item_gateway(
    value: str,
) -> CredentialsCredentialsItemGateway:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsCredentialsItemGateway, value)
