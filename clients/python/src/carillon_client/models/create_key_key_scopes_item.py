from typing import Literal, cast

CreateKeyKeyScopesItem = Literal["admin", "read", "register", "write"]


def check_create_key_key_scopes_item(value: str) -> CreateKeyKeyScopesItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreateKeyKeyScopesItem, value)
