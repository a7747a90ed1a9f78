from typing import Literal, cast

StoredBatchEntryToType = Literal["Audience", "Device", "User"]


def check_stored_batch_entry_to_type(value: str) -> StoredBatchEntryToType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(StoredBatchEntryToType, value)
