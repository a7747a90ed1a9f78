from typing import Literal, cast

PermissionFilterCriteriaItem = Literal["Disabled", "Enabled", "Unknown"]


def check_permission_filter_criteria_item(value: str) -> PermissionFilterCriteriaItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PermissionFilterCriteriaItem, value)
