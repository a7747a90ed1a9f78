from typing import Literal, cast

StoredCredentialsGoodForType0Item = Literal["production", "sandbox"]


def check_stored_credentials_good_for_type_0_item(
    value: str,
) -> StoredCredentialsGoodForType0Item:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(StoredCredentialsGoodForType0Item, value)
