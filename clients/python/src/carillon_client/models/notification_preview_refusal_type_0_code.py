from typing import Literal, cast

NotificationPreviewRefusalType0Code = Literal[
    "already_ended",
    "audience_built_in",
    "audience_in_use",
    "body_too_large",
    "broadcast_outdated",
    "channel_differs",
    "channel_limit",
    "channel_not_open",
    "credentials_refused",
    "device_erased",
    "forbidden",
    "gateway_refused",
    "headers_too_large",
    "idempotency_key_reused",
    "internal",
    "invalid_header",
    "invalid_http",
    "invalid_json",
    "invalid_request",
    "last_admin",
    "method_not_allowed",
    "not_found",
    "payload_too_large",
    "rate_limited",
    "request_timeout",
    "unauthorized",
    "unavailable",
    "unsupported_media_type",
    "user_elsewhere",
]


def check_notification_preview_refusal_type_0_code(
    value: str,
) -> NotificationPreviewRefusalType0Code:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewRefusalType0Code, value)
