from typing import Literal, cast

NotificationPreviewCompiledType0DeviceType0VariantByType0 = Literal[
    "experiment", "none", "request"
]


def check_notification_preview_compiled_type_0_device_type_0_variant_by_type_0(
    value: str,
) -> NotificationPreviewCompiledType0DeviceType0VariantByType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewCompiledType0DeviceType0VariantByType0, value)
