"""Contains all the data models used in inputs/outputs"""

from .android_registration import AndroidRegistration
from .android_registration_notifications_allowed_type_0 import (
    AndroidRegistrationNotificationsAllowedType0,
)
from .android_registration_push_token_type_type_0 import (
    AndroidRegistrationPushTokenTypeType0,
)
from .api_document import ApiDocument
from .apns_credentials import ApnsCredentials
from .apns_credentials_credentials import ApnsCredentialsCredentials
from .apns_credentials_credentials_environment import (
    ApnsCredentialsCredentialsEnvironment,
)
from .app import App
from .app_app import AppApp
from .app_app_routes_item import AppAppRoutesItem
from .app_app_routes_item_pause_type_0 import AppAppRoutesItemPauseType0
from .app_app_routes_item_pause_type_0_cause import AppAppRoutesItemPauseType0Cause
from .app_app_routes_item_route import AppAppRoutesItemRoute
from .audience import Audience
from .audience_audience import AudienceAudience
from .audience_audience_filters_item import AudienceAudienceFiltersItem
from .audience_devices import AudienceDevices
from .audience_devices_meta import AudienceDevicesMeta
from .audience_list import AudienceList
from .audience_list_meta import AudienceListMeta
from .audience_locales import AudienceLocales
from .audience_locales_locales_item import AudienceLocalesLocalesItem
from .audience_uses import AudienceUses
from .audience_uses_notifications_item import AudienceUsesNotificationsItem
from .audience_uses_notifications_item_state import AudienceUsesNotificationsItemState
from .audit_entry import AuditEntry
from .audit_entry_after_type_0 import AuditEntryAfterType0
from .audit_entry_before_type_0 import AuditEntryBeforeType0
from .audit_entry_by import AuditEntryBy
from .audit_entry_by_kind import AuditEntryByKind
from .audit_list import AuditList
from .audit_list_meta import AuditListMeta
from .batch_item import BatchItem
from .boolean_attribute import BooleanAttribute
from .boolean_filter import BooleanFilter
from .change_console_user import ChangeConsoleUser
from .change_console_user_user import ChangeConsoleUserUser
from .change_console_user_user_role import ChangeConsoleUserUserRole
from .channel import Channel
from .channel_broadcast import ChannelBroadcast
from .channel_broadcast_broadcast import ChannelBroadcastBroadcast
from .channel_broadcast_broadcast_event import ChannelBroadcastBroadcastEvent
from .channel_broadcast_broadcast_priority import ChannelBroadcastBroadcastPriority
from .channel_broadcast_broadcast_state import ChannelBroadcastBroadcastState
from .channel_channel import ChannelChannel
from .channel_channel_environment import ChannelChannelEnvironment
from .channel_channel_state import ChannelChannelState
from .channel_channel_storage import ChannelChannelStorage
from .channel_comparison import ChannelComparison
from .channel_comparison_missing_item import ChannelComparisonMissingItem
from .channel_detail import ChannelDetail
from .channel_detail_broadcasts_item import ChannelDetailBroadcastsItem
from .channel_detail_broadcasts_item_event import ChannelDetailBroadcastsItemEvent
from .channel_detail_broadcasts_item_priority import ChannelDetailBroadcastsItemPriority
from .channel_detail_broadcasts_item_state import ChannelDetailBroadcastsItemState
from .channel_detail_channel import ChannelDetailChannel
from .channel_detail_channel_environment import ChannelDetailChannelEnvironment
from .channel_detail_channel_state import ChannelDetailChannelState
from .channel_detail_channel_storage import ChannelDetailChannelStorage
from .channel_list import ChannelList
from .channel_list_channels_item import ChannelListChannelsItem
from .channel_list_channels_item_environment import ChannelListChannelsItemEnvironment
from .channel_list_channels_item_state import ChannelListChannelsItemState
from .channel_list_channels_item_storage import ChannelListChannelsItemStorage
from .channel_list_meta import ChannelListMeta
from .circle import Circle
from .circle_unit import CircleUnit
from .compare_channels_environment import CompareChannelsEnvironment
from .console_invite import ConsoleInvite
from .console_invite_invite import ConsoleInviteInvite
from .console_session_list import ConsoleSessionList
from .console_session_list_sessions_item import ConsoleSessionListSessionsItem
from .console_user import ConsoleUser
from .console_user_list import ConsoleUserList
from .console_user_list_users_item import ConsoleUserListUsersItem
from .console_user_list_users_item_role import ConsoleUserListUsersItemRole
from .console_user_list_users_item_signs_in import ConsoleUserListUsersItemSignsIn
from .console_user_user import ConsoleUserUser
from .console_user_user_role import ConsoleUserUserRole
from .console_user_user_signs_in import ConsoleUserUserSignsIn
from .count_audience import CountAudience
from .count_newer_notifications_state import CountNewerNotificationsState
from .count_notification import CountNotification
from .count_notification_locales import CountNotificationLocales
from .create_audience import CreateAudience
from .create_broadcast import CreateBroadcast
from .create_broadcast_broadcast import CreateBroadcastBroadcast
from .create_broadcast_broadcast_alert import CreateBroadcastBroadcastAlert
from .create_broadcast_broadcast_content_state import (
    CreateBroadcastBroadcastContentState,
)
from .create_broadcast_broadcast_event import CreateBroadcastBroadcastEvent
from .create_broadcast_broadcast_priority import CreateBroadcastBroadcastPriority
from .create_channel import CreateChannel
from .create_channel_channel import CreateChannelChannel
from .create_channel_channel_environment import CreateChannelChannelEnvironment
from .create_channel_channel_storage import CreateChannelChannelStorage
from .create_key import CreateKey
from .create_key_key import CreateKeyKey
from .create_key_key_scopes_item import CreateKeyKeyScopesItem
from .create_notification import CreateNotification
from .create_webhook import CreateWebhook
from .created_key import CreatedKey
from .created_key_key import CreatedKeyKey
from .created_key_key_scopes_item import CreatedKeyKeyScopesItem
from .created_notification import CreatedNotification
from .created_notification_notification import CreatedNotificationNotification
from .created_notification_to import CreatedNotificationTo
from .created_notification_to_type import CreatedNotificationToType
from .created_webhook import CreatedWebhook
from .created_webhook_webhook import CreatedWebhookWebhook
from .created_webhook_webhook_events_item import CreatedWebhookWebhookEventsItem
from .credentials import Credentials
from .credentials_credentials_item import CredentialsCredentialsItem
from .credentials_credentials_item_environment import (
    CredentialsCredentialsItemEnvironment,
)
from .credentials_credentials_item_gateway import CredentialsCredentialsItemGateway
from .credentials_credentials_item_identity import CredentialsCredentialsItemIdentity
from .credentials_routes_item import CredentialsRoutesItem
from .credentials_routes_item_credentials_type_0 import (
    CredentialsRoutesItemCredentialsType0,
)
from .credentials_routes_item_last_refusal_type_0 import (
    CredentialsRoutesItemLastRefusalType0,
)
from .credentials_routes_item_pause_type_0 import CredentialsRoutesItemPauseType0
from .credentials_routes_item_pause_type_0_cause import (
    CredentialsRoutesItemPauseType0Cause,
)
from .credentials_routes_item_route import CredentialsRoutesItemRoute
from .custom_attributes import CustomAttributes
from .date_attribute import DateAttribute
from .date_filter import DateFilter
from .date_range import DateRange
from .deliver_at_local import DeliverAtLocal
from .deliver_at_local_if_past import DeliverAtLocalIfPast
from .delivery import Delivery
from .delivery_explanation import DeliveryExplanation
from .delivery_explanation_causes_item import DeliveryExplanationCausesItem
from .delivery_explanation_causes_item_code import DeliveryExplanationCausesItemCode
from .delivery_explanation_outcome_type_0 import DeliveryExplanationOutcomeType0
from .delivery_explanation_variant_type_0 import DeliveryExplanationVariantType0
from .delivery_list import DeliveryList
from .delivery_list_meta import DeliveryListMeta
from .delivery_outcome import DeliveryOutcome
from .device import Device
from .device_count import DeviceCount
from .device_custom import DeviceCustom
from .device_custom_additional_property import DeviceCustomAdditionalProperty
from .device_custom_additional_property_type import DeviceCustomAdditionalPropertyType
from .device_event import DeviceEvent
from .device_events import DeviceEvents
from .device_events_additional_property import DeviceEventsAdditionalProperty
from .device_location_type_0 import DeviceLocationType0
from .device_map import DeviceMap
from .device_map_cells_item import DeviceMapCellsItem
from .device_notifications_allowed import DeviceNotificationsAllowed
from .device_outcome import DeviceOutcome
from .device_outcome_outcome import DeviceOutcomeOutcome
from .device_outcomes import DeviceOutcomes
from .device_outcomes_meta import DeviceOutcomesMeta
from .device_outcomes_meta_searched import DeviceOutcomesMetaSearched
from .device_platform import DevicePlatform
from .device_push_token_type import DevicePushTokenType
from .device_quiet_hours import DeviceQuietHours
from .device_quiet_hours_days_item import DeviceQuietHoursDaysItem
from .device_quiet_hours_type_0 import DeviceQuietHoursType0
from .device_quiet_hours_type_0_days_item import DeviceQuietHoursType0DaysItem
from .device_sample import DeviceSample
from .device_sdk_location_type_0 import DeviceSdkLocationType0
from .device_target import DeviceTarget
from .device_tokens import DeviceTokens
from .device_tokens_tokens_item import DeviceTokensTokensItem
from .device_tokens_tokens_item_token_type import DeviceTokensTokensItemTokenType
from .device_update import DeviceUpdate
from .device_update_notifications_allowed_type_0 import (
    DeviceUpdateNotificationsAllowedType0,
)
from .device_update_platform import DeviceUpdatePlatform
from .device_update_push_token_type_type_0 import DeviceUpdatePushTokenTypeType0
from .error import Error
from .error_code import ErrorCode
from .event_filter import EventFilter
from .explain_filters import ExplainFilters
from .explanation import Explanation
from .explanation_filters_item import ExplanationFiltersItem
from .explanation_filters_item_criteria_item import ExplanationFiltersItemCriteriaItem
from .export_audit_action import ExportAuditAction
from .export_deliveries_format import ExportDeliveriesFormat
from .export_deliveries_outcome import ExportDeliveriesOutcome
from .export_deliveries_platform import ExportDeliveriesPlatform
from .fault import Fault
from .fcm_credentials import FcmCredentials
from .fcm_credentials_credentials import FcmCredentialsCredentials
from .fcm_credentials_credentials_service_account import (
    FcmCredentialsCredentialsServiceAccount,
)
from .filter_counts import FilterCounts
from .filter_counts_filters_item import FilterCountsFiltersItem
from .float_attribute import FloatAttribute
from .found_delivery import FoundDelivery
from .found_delivery_outcome import FoundDeliveryOutcome
from .found_delivery_platform_type_0 import FoundDeliveryPlatformType0
from .found_devices import FoundDevices
from .found_devices_devices_item import FoundDevicesDevicesItem
from .found_devices_devices_item_match import FoundDevicesDevicesItemMatch
from .frequency_caps import FrequencyCaps
from .frequency_caps_frequency_caps_item import FrequencyCapsFrequencyCapsItem
from .frequency_caps_frequency_caps_item_by import FrequencyCapsFrequencyCapsItemBy
from .frequency_caps_frequency_caps_item_limits_item import (
    FrequencyCapsFrequencyCapsItemLimitsItem,
)
from .import_result import ImportResult
from .import_result_ignored_item import ImportResultIgnoredItem
from .import_result_rejected_item import ImportResultRejectedItem
from .integer_attribute import IntegerAttribute
from .invite_console_user import InviteConsoleUser
from .invite_console_user_user import InviteConsoleUserUser
from .invite_console_user_user_role import InviteConsoleUserUserRole
from .invited_console_user import InvitedConsoleUser
from .invited_console_user_invite_type_0 import InvitedConsoleUserInviteType0
from .invited_console_user_user import InvitedConsoleUserUser
from .invited_console_user_user_role import InvitedConsoleUserUserRole
from .invited_console_user_user_signs_in import InvitedConsoleUserUserSignsIn
from .ios_registration import IosRegistration
from .ios_registration_notifications_allowed_type_0 import (
    IosRegistrationNotificationsAllowedType0,
)
from .key_list import KeyList
from .key_list_keys_item import KeyListKeysItem
from .key_list_keys_item_scopes_item import KeyListKeysItemScopesItem
from .list_audiences_kind import ListAudiencesKind
from .list_audit_action import ListAuditAction
from .list_channels_environment import ListChannelsEnvironment
from .list_notifications_state import ListNotificationsState
from .listed_audience import ListedAudience
from .listed_audience_filters_type_0_item import ListedAudienceFiltersType0Item
from .listed_audience_kind import ListedAudienceKind
from .liveness import Liveness
from .look_up_devices import LookUpDevices
from .new_audience import NewAudience
from .new_webhook import NewWebhook
from .new_webhook_events_item import NewWebhookEventsItem
from .newer_notifications import NewerNotifications
from .nothing import Nothing
from .notification import Notification
from .notification_list import NotificationList
from .notification_list_meta import NotificationListMeta
from .notification_made_by_type_0 import NotificationMadeByType0
from .notification_made_by_type_0_type import NotificationMadeByType0Type
from .notification_notification import NotificationNotification
from .notification_preview import NotificationPreview
from .notification_preview_compiled_type_0 import NotificationPreviewCompiledType0
from .notification_preview_compiled_type_0_apns import (
    NotificationPreviewCompiledType0Apns,
)
from .notification_preview_compiled_type_0_apns_headers import (
    NotificationPreviewCompiledType0ApnsHeaders,
)
from .notification_preview_compiled_type_0_apns_tray import (
    NotificationPreviewCompiledType0ApnsTray,
)
from .notification_preview_compiled_type_0_apns_tray_interruption_level import (
    NotificationPreviewCompiledType0ApnsTrayInterruptionLevel,
)
from .notification_preview_compiled_type_0_apns_tray_push_type import (
    NotificationPreviewCompiledType0ApnsTrayPushType,
)
from .notification_preview_compiled_type_0_device_type_0 import (
    NotificationPreviewCompiledType0DeviceType0,
)
from .notification_preview_compiled_type_0_device_type_0_apns import (
    NotificationPreviewCompiledType0DeviceType0Apns,
)
from .notification_preview_compiled_type_0_device_type_0_apns_headers import (
    NotificationPreviewCompiledType0DeviceType0ApnsHeaders,
)
from .notification_preview_compiled_type_0_device_type_0_apns_tray import (
    NotificationPreviewCompiledType0DeviceType0ApnsTray,
)
from .notification_preview_compiled_type_0_device_type_0_apns_tray_interruption_level import (
    NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel,
)
from .notification_preview_compiled_type_0_device_type_0_apns_tray_push_type import (
    NotificationPreviewCompiledType0DeviceType0ApnsTrayPushType,
)
from .notification_preview_compiled_type_0_device_type_0_dropped_type_0 import (
    NotificationPreviewCompiledType0DeviceType0DroppedType0,
)
from .notification_preview_compiled_type_0_device_type_0_fcm_type_0 import (
    NotificationPreviewCompiledType0DeviceType0FcmType0,
)
from .notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray import (
    NotificationPreviewCompiledType0DeviceType0FcmType0Tray,
)
from .notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray_drawn_by import (
    NotificationPreviewCompiledType0DeviceType0FcmType0TrayDrawnBy,
)
from .notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray_priority import (
    NotificationPreviewCompiledType0DeviceType0FcmType0TrayPriority,
)
from .notification_preview_compiled_type_0_device_type_0_variant_by_type_0 import (
    NotificationPreviewCompiledType0DeviceType0VariantByType0,
)
from .notification_preview_compiled_type_0_fcm_type_0 import (
    NotificationPreviewCompiledType0FcmType0,
)
from .notification_preview_compiled_type_0_fcm_type_0_tray import (
    NotificationPreviewCompiledType0FcmType0Tray,
)
from .notification_preview_compiled_type_0_fcm_type_0_tray_drawn_by import (
    NotificationPreviewCompiledType0FcmType0TrayDrawnBy,
)
from .notification_preview_compiled_type_0_fcm_type_0_tray_priority import (
    NotificationPreviewCompiledType0FcmType0TrayPriority,
)
from .notification_preview_compiled_type_0_variants_item import (
    NotificationPreviewCompiledType0VariantsItem,
)
from .notification_preview_compiled_type_0_versions_item import (
    NotificationPreviewCompiledType0VersionsItem,
)
from .notification_preview_compiled_type_0_versions_item_apns import (
    NotificationPreviewCompiledType0VersionsItemApns,
)
from .notification_preview_compiled_type_0_versions_item_apns_headers import (
    NotificationPreviewCompiledType0VersionsItemApnsHeaders,
)
from .notification_preview_compiled_type_0_versions_item_apns_tray import (
    NotificationPreviewCompiledType0VersionsItemApnsTray,
)
from .notification_preview_compiled_type_0_versions_item_apns_tray_interruption_level import (
    NotificationPreviewCompiledType0VersionsItemApnsTrayInterruptionLevel,
)
from .notification_preview_compiled_type_0_versions_item_apns_tray_push_type import (
    NotificationPreviewCompiledType0VersionsItemApnsTrayPushType,
)
from .notification_preview_compiled_type_0_versions_item_fcm_type_0 import (
    NotificationPreviewCompiledType0VersionsItemFcmType0,
)
from .notification_preview_compiled_type_0_versions_item_fcm_type_0_tray import (
    NotificationPreviewCompiledType0VersionsItemFcmType0Tray,
)
from .notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_drawn_by import (
    NotificationPreviewCompiledType0VersionsItemFcmType0TrayDrawnBy,
)
from .notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_priority import (
    NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority,
)
from .notification_preview_refusal_type_0 import NotificationPreviewRefusalType0
from .notification_preview_refusal_type_0_code import (
    NotificationPreviewRefusalType0Code,
)
from .notification_preview_warnings_item import NotificationPreviewWarningsItem
from .notification_progress import NotificationProgress
from .notification_progress_limit_type_0 import NotificationProgressLimitType0
from .notification_progress_limit_type_0_code import NotificationProgressLimitType0Code
from .notification_progress_state import NotificationProgressState
from .notification_report import NotificationReport
from .notification_report_curve import NotificationReportCurve
from .notification_report_curve_points_item import NotificationReportCurvePointsItem
from .notification_report_funnel import NotificationReportFunnel
from .notification_report_funnel_received_type_0 import (
    NotificationReportFunnelReceivedType0,
)
from .notification_report_funnel_shown_type_0 import NotificationReportFunnelShownType0
from .notification_report_reasons_item import NotificationReportReasonsItem
from .notification_report_reasons_item_outcome import (
    NotificationReportReasonsItemOutcome,
)
from .notification_report_variants_type_0 import NotificationReportVariantsType0
from .notification_report_variants_type_0_comparisons_item import (
    NotificationReportVariantsType0ComparisonsItem,
)
from .notification_report_variants_type_0_comparisons_item_rate import (
    NotificationReportVariantsType0ComparisonsItemRate,
)
from .notification_report_variants_type_0_groups_item import (
    NotificationReportVariantsType0GroupsItem,
)
from .notification_report_variants_type_0_groups_item_opened_type_0 import (
    NotificationReportVariantsType0GroupsItemOpenedType0,
)
from .notification_report_variants_type_0_groups_item_outcomes import (
    NotificationReportVariantsType0GroupsItemOutcomes,
)
from .notification_report_variants_type_0_groups_item_received_type_0 import (
    NotificationReportVariantsType0GroupsItemReceivedType0,
)
from .notification_report_variants_type_0_groups_item_shown_type_0 import (
    NotificationReportVariantsType0GroupsItemShownType0,
)
from .notification_request import NotificationRequest
from .notification_request_android import NotificationRequestAndroid
from .notification_request_android_presentation import (
    NotificationRequestAndroidPresentation,
)
from .notification_request_android_proxy import NotificationRequestAndroidProxy
from .notification_request_android_visibility import (
    NotificationRequestAndroidVisibility,
)
from .notification_request_apns import NotificationRequestApns
from .notification_request_apns_headers import NotificationRequestApnsHeaders
from .notification_request_apns_headers_apns_priority import (
    NotificationRequestApnsHeadersApnsPriority,
)
from .notification_request_apns_push_type import NotificationRequestApnsPushType
from .notification_request_apns_sound_type_1 import NotificationRequestApnsSoundType1
from .notification_request_live_activity_type_0 import (
    NotificationRequestLiveActivityType0,
)
from .notification_request_live_activity_type_0_attributes import (
    NotificationRequestLiveActivityType0Attributes,
)
from .notification_request_live_activity_type_0_content_state import (
    NotificationRequestLiveActivityType0ContentState,
)
from .notification_request_live_activity_type_1 import (
    NotificationRequestLiveActivityType1,
)
from .notification_request_live_activity_type_1_content_state import (
    NotificationRequestLiveActivityType1ContentState,
)
from .notification_request_live_activity_type_2 import (
    NotificationRequestLiveActivityType2,
)
from .notification_request_live_activity_type_2_content_state import (
    NotificationRequestLiveActivityType2ContentState,
)
from .notification_request_localized import NotificationRequestLocalized
from .notification_request_priority import NotificationRequestPriority
from .notification_request_quiet_hours_type_1 import NotificationRequestQuietHoursType1
from .notification_request_receipts import NotificationRequestReceipts
from .notification_request_template_type_1 import NotificationRequestTemplateType1
from .notification_request_template_type_1_on_missing import (
    NotificationRequestTemplateType1OnMissing,
)
from .notification_state import NotificationState
from .notification_stats import NotificationStats
from .notification_to import NotificationTo
from .notification_to_type import NotificationToType
from .notification_waves_item import NotificationWavesItem
from .notification_waves_item_action import NotificationWavesItemAction
from .notification_waves_item_reason_type_0 import NotificationWavesItemReasonType0
from .notification_waves_item_state import NotificationWavesItemState
from .number_filter import NumberFilter
from .number_range import NumberRange
from .one_device import OneDevice
from .overview import Overview
from .overview_overview import OverviewOverview
from .overview_overview_attention_item import OverviewOverviewAttentionItem
from .overview_overview_attention_item_code import OverviewOverviewAttentionItemCode
from .overview_overview_attention_item_route_type_0 import (
    OverviewOverviewAttentionItemRouteType0,
)
from .overview_overview_days_item import OverviewOverviewDaysItem
from .overview_overview_devices_type_0 import OverviewOverviewDevicesType0
from .overview_overview_devices_type_0_by_app_version_item import (
    OverviewOverviewDevicesType0ByAppVersionItem,
)
from .overview_overview_devices_type_0_by_app_version_item_platform import (
    OverviewOverviewDevicesType0ByAppVersionItemPlatform,
)
from .overview_overview_devices_type_0_by_platform_item import (
    OverviewOverviewDevicesType0ByPlatformItem,
)
from .overview_overview_devices_type_0_by_platform_item_platform import (
    OverviewOverviewDevicesType0ByPlatformItemPlatform,
)
from .overview_overview_devices_type_0_by_system_item import (
    OverviewOverviewDevicesType0BySystemItem,
)
from .overview_overview_devices_type_0_by_system_item_platform import (
    OverviewOverviewDevicesType0BySystemItemPlatform,
)
from .payload import Payload
from .payload_changes import PayloadChanges
from .payload_changes_interruption_level_type_0 import (
    PayloadChangesInterruptionLevelType0,
)
from .payload_interruption_level import PayloadInterruptionLevel
from .permission_filter import PermissionFilter
from .permission_filter_criteria_item import PermissionFilterCriteriaItem
from .place import Place
from .place_filter import PlaceFilter
from .planned_waves import PlannedWaves
from .planned_waves_waves_item import PlannedWavesWavesItem
from .planned_waves_waves_item_action import PlannedWavesWavesItemAction
from .planned_waves_waves_item_reason_type_0 import PlannedWavesWavesItemReasonType0
from .point import Point
from .polygon import Polygon
from .preview_notification import PreviewNotification
from .push_token_state import PushTokenState
from .push_token_state_push_token_type_type_0 import PushTokenStatePushTokenTypeType0
from .push_token_state_retired_item import PushTokenStateRetiredItem
from .push_token_state_retired_item_push_token_type import (
    PushTokenStateRetiredItemPushTokenType,
)
from .push_token_state_route import PushTokenStateRoute
from .push_token_state_state import PushTokenStateState
from .quiet_hours import QuietHours
from .quiet_hours_quiet_hours_type_0 import QuietHoursQuietHoursType0
from .quiet_hours_quiet_hours_type_0_action import QuietHoursQuietHoursType0Action
from .quiet_hours_quiet_hours_type_0_days_item import QuietHoursQuietHoursType0DaysItem
from .quiet_hours_rule import QuietHoursRule
from .quiet_hours_rule_action import QuietHoursRuleAction
from .quiet_hours_rule_days_item import QuietHoursRuleDaysItem
from .readiness import Readiness
from .readiness_database import ReadinessDatabase
from .readiness_queue import ReadinessQueue
from .readiness_status import ReadinessStatus
from .receipt import Receipt
from .refused_batch_entry import RefusedBatchEntry
from .refused_batch_entry_code import RefusedBatchEntryCode
from .register_device import RegisterDevice
from .register_device_token import RegisterDeviceToken
from .register_device_token_token_type import RegisterDeviceTokenTokenType
from .registered_device import RegisteredDevice
from .registered_device_device import RegisteredDeviceDevice
from .registered_device_device_custom import RegisteredDeviceDeviceCustom
from .registered_device_device_custom_additional_property import (
    RegisteredDeviceDeviceCustomAdditionalProperty,
)
from .registered_device_device_custom_additional_property_type import (
    RegisteredDeviceDeviceCustomAdditionalPropertyType,
)
from .registered_device_device_events import RegisteredDeviceDeviceEvents
from .registered_device_device_events_additional_property import (
    RegisteredDeviceDeviceEventsAdditionalProperty,
)
from .registered_device_device_location_type_0 import (
    RegisteredDeviceDeviceLocationType0,
)
from .registered_device_device_notifications_allowed import (
    RegisteredDeviceDeviceNotificationsAllowed,
)
from .registered_device_device_platform import RegisteredDeviceDevicePlatform
from .registered_device_device_push_token_type import (
    RegisteredDeviceDevicePushTokenType,
)
from .registered_device_device_quiet_hours_type_0 import (
    RegisteredDeviceDeviceQuietHoursType0,
)
from .registered_device_device_quiet_hours_type_0_days_item import (
    RegisteredDeviceDeviceQuietHoursType0DaysItem,
)
from .registered_device_device_sdk_location_type_0 import (
    RegisteredDeviceDeviceSdkLocationType0,
)
from .registered_device_ignored_item import RegisteredDeviceIgnoredItem
from .remove_apns_credentials_environment import RemoveApnsCredentialsEnvironment
from .remove_device_token_token_type import RemoveDeviceTokenTokenType
from .remove_fcm_credentials_environment import RemoveFcmCredentialsEnvironment
from .report_events import ReportEvents
from .report_open import ReportOpen
from .reported_receipts import ReportedReceipts
from .reported_receipts_rejected_item import ReportedReceiptsRejectedItem
from .resume_route_route import ResumeRouteRoute
from .resumed_route import ResumedRoute
from .search_deliveries_outcome import SearchDeliveriesOutcome
from .search_deliveries_platform import SearchDeliveriesPlatform
from .set_frequency_caps import SetFrequencyCaps
from .set_frequency_caps_frequency_caps_item import SetFrequencyCapsFrequencyCapsItem
from .set_frequency_caps_frequency_caps_item_by import (
    SetFrequencyCapsFrequencyCapsItemBy,
)
from .set_frequency_caps_frequency_caps_item_limits_item import (
    SetFrequencyCapsFrequencyCapsItemLimitsItem,
)
from .set_quiet_hours import SetQuietHours
from .stored_batch_entry import StoredBatchEntry
from .stored_batch_entry_to import StoredBatchEntryTo
from .stored_batch_entry_to_type import StoredBatchEntryToType
from .stored_credentials import StoredCredentials
from .stored_credentials_good_for_type_0_item import StoredCredentialsGoodForType0Item
from .stored_target import StoredTarget
from .string_attribute import StringAttribute
from .text_filter import TextFilter
from .update_device import UpdateDevice
from .update_user import UpdateUser
from .update_user_user import UpdateUserUser
from .user_devices import UserDevices
from .user_target import UserTarget
from .variant import Variant
from .variant_localized import VariantLocalized
from .version_filter import VersionFilter
from .version_range import VersionRange
from .webhook import Webhook
from .webhook_delivery_list import WebhookDeliveryList
from .webhook_delivery_list_deliveries_item import WebhookDeliveryListDeliveriesItem
from .webhook_delivery_list_deliveries_item_state import (
    WebhookDeliveryListDeliveriesItemState,
)
from .webhook_list import WebhookList
from .webhook_list_webhooks_item import WebhookListWebhooksItem
from .webhook_list_webhooks_item_events_item import WebhookListWebhooksItemEventsItem
from .webhook_test import WebhookTest
from .webhook_webhook import WebhookWebhook
from .webhook_webhook_events_item import WebhookWebhookEventsItem

__all__ = (
    "AndroidRegistration",
    "AndroidRegistrationNotificationsAllowedType0",
    "AndroidRegistrationPushTokenTypeType0",
    "ApiDocument",
    "ApnsCredentials",
    "ApnsCredentialsCredentials",
    "ApnsCredentialsCredentialsEnvironment",
    "App",
    "AppApp",
    "AppAppRoutesItem",
    "AppAppRoutesItemPauseType0",
    "AppAppRoutesItemPauseType0Cause",
    "AppAppRoutesItemRoute",
    "Audience",
    "AudienceAudience",
    "AudienceAudienceFiltersItem",
    "AudienceDevices",
    "AudienceDevicesMeta",
    "AudienceList",
    "AudienceListMeta",
    "AudienceLocales",
    "AudienceLocalesLocalesItem",
    "AudienceUses",
    "AudienceUsesNotificationsItem",
    "AudienceUsesNotificationsItemState",
    "AuditEntry",
    "AuditEntryAfterType0",
    "AuditEntryBeforeType0",
    "AuditEntryBy",
    "AuditEntryByKind",
    "AuditList",
    "AuditListMeta",
    "BatchItem",
    "BooleanAttribute",
    "BooleanFilter",
    "ChangeConsoleUser",
    "ChangeConsoleUserUser",
    "ChangeConsoleUserUserRole",
    "Channel",
    "ChannelBroadcast",
    "ChannelBroadcastBroadcast",
    "ChannelBroadcastBroadcastEvent",
    "ChannelBroadcastBroadcastPriority",
    "ChannelBroadcastBroadcastState",
    "ChannelChannel",
    "ChannelChannelEnvironment",
    "ChannelChannelState",
    "ChannelChannelStorage",
    "ChannelComparison",
    "ChannelComparisonMissingItem",
    "ChannelDetail",
    "ChannelDetailBroadcastsItem",
    "ChannelDetailBroadcastsItemEvent",
    "ChannelDetailBroadcastsItemPriority",
    "ChannelDetailBroadcastsItemState",
    "ChannelDetailChannel",
    "ChannelDetailChannelEnvironment",
    "ChannelDetailChannelState",
    "ChannelDetailChannelStorage",
    "ChannelList",
    "ChannelListChannelsItem",
    "ChannelListChannelsItemEnvironment",
    "ChannelListChannelsItemState",
    "ChannelListChannelsItemStorage",
    "ChannelListMeta",
    "Circle",
    "CircleUnit",
    "CompareChannelsEnvironment",
    "ConsoleInvite",
    "ConsoleInviteInvite",
    "ConsoleSessionList",
    "ConsoleSessionListSessionsItem",
    "ConsoleUser",
    "ConsoleUserList",
    "ConsoleUserListUsersItem",
    "ConsoleUserListUsersItemRole",
    "ConsoleUserListUsersItemSignsIn",
    "ConsoleUserUser",
    "ConsoleUserUserRole",
    "ConsoleUserUserSignsIn",
    "CountAudience",
    "CountNewerNotificationsState",
    "CountNotification",
    "CountNotificationLocales",
    "CreateAudience",
    "CreateBroadcast",
    "CreateBroadcastBroadcast",
    "CreateBroadcastBroadcastAlert",
    "CreateBroadcastBroadcastContentState",
    "CreateBroadcastBroadcastEvent",
    "CreateBroadcastBroadcastPriority",
    "CreateChannel",
    "CreateChannelChannel",
    "CreateChannelChannelEnvironment",
    "CreateChannelChannelStorage",
    "CreateKey",
    "CreateKeyKey",
    "CreateKeyKeyScopesItem",
    "CreateNotification",
    "CreateWebhook",
    "CreatedKey",
    "CreatedKeyKey",
    "CreatedKeyKeyScopesItem",
    "CreatedNotification",
    "CreatedNotificationNotification",
    "CreatedNotificationTo",
    "CreatedNotificationToType",
    "CreatedWebhook",
    "CreatedWebhookWebhook",
    "CreatedWebhookWebhookEventsItem",
    "Credentials",
    "CredentialsCredentialsItem",
    "CredentialsCredentialsItemEnvironment",
    "CredentialsCredentialsItemGateway",
    "CredentialsCredentialsItemIdentity",
    "CredentialsRoutesItem",
    "CredentialsRoutesItemCredentialsType0",
    "CredentialsRoutesItemLastRefusalType0",
    "CredentialsRoutesItemPauseType0",
    "CredentialsRoutesItemPauseType0Cause",
    "CredentialsRoutesItemRoute",
    "CustomAttributes",
    "DateAttribute",
    "DateFilter",
    "DateRange",
    "DeliverAtLocal",
    "DeliverAtLocalIfPast",
    "Delivery",
    "DeliveryExplanation",
    "DeliveryExplanationCausesItem",
    "DeliveryExplanationCausesItemCode",
    "DeliveryExplanationOutcomeType0",
    "DeliveryExplanationVariantType0",
    "DeliveryList",
    "DeliveryListMeta",
    "DeliveryOutcome",
    "Device",
    "DeviceCount",
    "DeviceCustom",
    "DeviceCustomAdditionalProperty",
    "DeviceCustomAdditionalPropertyType",
    "DeviceEvent",
    "DeviceEvents",
    "DeviceEventsAdditionalProperty",
    "DeviceLocationType0",
    "DeviceMap",
    "DeviceMapCellsItem",
    "DeviceNotificationsAllowed",
    "DeviceOutcome",
    "DeviceOutcomeOutcome",
    "DeviceOutcomes",
    "DeviceOutcomesMeta",
    "DeviceOutcomesMetaSearched",
    "DevicePlatform",
    "DevicePushTokenType",
    "DeviceQuietHours",
    "DeviceQuietHoursDaysItem",
    "DeviceQuietHoursType0",
    "DeviceQuietHoursType0DaysItem",
    "DeviceSample",
    "DeviceSdkLocationType0",
    "DeviceTarget",
    "DeviceTokens",
    "DeviceTokensTokensItem",
    "DeviceTokensTokensItemTokenType",
    "DeviceUpdate",
    "DeviceUpdateNotificationsAllowedType0",
    "DeviceUpdatePlatform",
    "DeviceUpdatePushTokenTypeType0",
    "Error",
    "ErrorCode",
    "EventFilter",
    "ExplainFilters",
    "Explanation",
    "ExplanationFiltersItem",
    "ExplanationFiltersItemCriteriaItem",
    "ExportAuditAction",
    "ExportDeliveriesFormat",
    "ExportDeliveriesOutcome",
    "ExportDeliveriesPlatform",
    "Fault",
    "FcmCredentials",
    "FcmCredentialsCredentials",
    "FcmCredentialsCredentialsServiceAccount",
    "FilterCounts",
    "FilterCountsFiltersItem",
    "FloatAttribute",
    "FoundDelivery",
    "FoundDeliveryOutcome",
    "FoundDeliveryPlatformType0",
    "FoundDevices",
    "FoundDevicesDevicesItem",
    "FoundDevicesDevicesItemMatch",
    "FrequencyCaps",
    "FrequencyCapsFrequencyCapsItem",
    "FrequencyCapsFrequencyCapsItemBy",
    "FrequencyCapsFrequencyCapsItemLimitsItem",
    "ImportResult",
    "ImportResultIgnoredItem",
    "ImportResultRejectedItem",
    "IntegerAttribute",
    "InviteConsoleUser",
    "InviteConsoleUserUser",
    "InviteConsoleUserUserRole",
    "InvitedConsoleUser",
    "InvitedConsoleUserInviteType0",
    "InvitedConsoleUserUser",
    "InvitedConsoleUserUserRole",
    "InvitedConsoleUserUserSignsIn",
    "IosRegistration",
    "IosRegistrationNotificationsAllowedType0",
    "KeyList",
    "KeyListKeysItem",
    "KeyListKeysItemScopesItem",
    "ListAudiencesKind",
    "ListAuditAction",
    "ListChannelsEnvironment",
    "ListNotificationsState",
    "ListedAudience",
    "ListedAudienceFiltersType0Item",
    "ListedAudienceKind",
    "Liveness",
    "LookUpDevices",
    "NewAudience",
    "NewWebhook",
    "NewWebhookEventsItem",
    "NewerNotifications",
    "Nothing",
    "Notification",
    "NotificationList",
    "NotificationListMeta",
    "NotificationMadeByType0",
    "NotificationMadeByType0Type",
    "NotificationNotification",
    "NotificationPreview",
    "NotificationPreviewCompiledType0",
    "NotificationPreviewCompiledType0Apns",
    "NotificationPreviewCompiledType0ApnsHeaders",
    "NotificationPreviewCompiledType0ApnsTray",
    "NotificationPreviewCompiledType0ApnsTrayInterruptionLevel",
    "NotificationPreviewCompiledType0ApnsTrayPushType",
    "NotificationPreviewCompiledType0DeviceType0",
    "NotificationPreviewCompiledType0DeviceType0Apns",
    "NotificationPreviewCompiledType0DeviceType0ApnsHeaders",
    "NotificationPreviewCompiledType0DeviceType0ApnsTray",
    "NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel",
    "NotificationPreviewCompiledType0DeviceType0ApnsTrayPushType",
    "NotificationPreviewCompiledType0DeviceType0DroppedType0",
    "NotificationPreviewCompiledType0DeviceType0FcmType0",
    "NotificationPreviewCompiledType0DeviceType0FcmType0Tray",
    "NotificationPreviewCompiledType0DeviceType0FcmType0TrayDrawnBy",
    "NotificationPreviewCompiledType0DeviceType0FcmType0TrayPriority",
    "NotificationPreviewCompiledType0DeviceType0VariantByType0",
    "NotificationPreviewCompiledType0FcmType0",
    "NotificationPreviewCompiledType0FcmType0Tray",
    "NotificationPreviewCompiledType0FcmType0TrayDrawnBy",
    "NotificationPreviewCompiledType0FcmType0TrayPriority",
    "NotificationPreviewCompiledType0VariantsItem",
    "NotificationPreviewCompiledType0VersionsItem",
    "NotificationPreviewCompiledType0VersionsItemApns",
    "NotificationPreviewCompiledType0VersionsItemApnsHeaders",
    "NotificationPreviewCompiledType0VersionsItemApnsTray",
    "NotificationPreviewCompiledType0VersionsItemApnsTrayInterruptionLevel",
    "NotificationPreviewCompiledType0VersionsItemApnsTrayPushType",
    "NotificationPreviewCompiledType0VersionsItemFcmType0",
    "NotificationPreviewCompiledType0VersionsItemFcmType0Tray",
    "NotificationPreviewCompiledType0VersionsItemFcmType0TrayDrawnBy",
    "NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority",
    "NotificationPreviewRefusalType0",
    "NotificationPreviewRefusalType0Code",
    "NotificationPreviewWarningsItem",
    "NotificationProgress",
    "NotificationProgressLimitType0",
    "NotificationProgressLimitType0Code",
    "NotificationProgressState",
    "NotificationReport",
    "NotificationReportCurve",
    "NotificationReportCurvePointsItem",
    "NotificationReportFunnel",
    "NotificationReportFunnelReceivedType0",
    "NotificationReportFunnelShownType0",
    "NotificationReportReasonsItem",
    "NotificationReportReasonsItemOutcome",
    "NotificationReportVariantsType0",
    "NotificationReportVariantsType0ComparisonsItem",
    "NotificationReportVariantsType0ComparisonsItemRate",
    "NotificationReportVariantsType0GroupsItem",
    "NotificationReportVariantsType0GroupsItemOpenedType0",
    "NotificationReportVariantsType0GroupsItemOutcomes",
    "NotificationReportVariantsType0GroupsItemReceivedType0",
    "NotificationReportVariantsType0GroupsItemShownType0",
    "NotificationRequest",
    "NotificationRequestAndroid",
    "NotificationRequestAndroidPresentation",
    "NotificationRequestAndroidProxy",
    "NotificationRequestAndroidVisibility",
    "NotificationRequestApns",
    "NotificationRequestApnsHeaders",
    "NotificationRequestApnsHeadersApnsPriority",
    "NotificationRequestApnsPushType",
    "NotificationRequestApnsSoundType1",
    "NotificationRequestLiveActivityType0",
    "NotificationRequestLiveActivityType0Attributes",
    "NotificationRequestLiveActivityType0ContentState",
    "NotificationRequestLiveActivityType1",
    "NotificationRequestLiveActivityType1ContentState",
    "NotificationRequestLiveActivityType2",
    "NotificationRequestLiveActivityType2ContentState",
    "NotificationRequestLocalized",
    "NotificationRequestPriority",
    "NotificationRequestQuietHoursType1",
    "NotificationRequestReceipts",
    "NotificationRequestTemplateType1",
    "NotificationRequestTemplateType1OnMissing",
    "NotificationState",
    "NotificationStats",
    "NotificationTo",
    "NotificationToType",
    "NotificationWavesItem",
    "NotificationWavesItemAction",
    "NotificationWavesItemReasonType0",
    "NotificationWavesItemState",
    "NumberFilter",
    "NumberRange",
    "OneDevice",
    "Overview",
    "OverviewOverview",
    "OverviewOverviewAttentionItem",
    "OverviewOverviewAttentionItemCode",
    "OverviewOverviewAttentionItemRouteType0",
    "OverviewOverviewDaysItem",
    "OverviewOverviewDevicesType0",
    "OverviewOverviewDevicesType0ByAppVersionItem",
    "OverviewOverviewDevicesType0ByAppVersionItemPlatform",
    "OverviewOverviewDevicesType0ByPlatformItem",
    "OverviewOverviewDevicesType0ByPlatformItemPlatform",
    "OverviewOverviewDevicesType0BySystemItem",
    "OverviewOverviewDevicesType0BySystemItemPlatform",
    "Payload",
    "PayloadChanges",
    "PayloadChangesInterruptionLevelType0",
    "PayloadInterruptionLevel",
    "PermissionFilter",
    "PermissionFilterCriteriaItem",
    "Place",
    "PlaceFilter",
    "PlannedWaves",
    "PlannedWavesWavesItem",
    "PlannedWavesWavesItemAction",
    "PlannedWavesWavesItemReasonType0",
    "Point",
    "Polygon",
    "PreviewNotification",
    "PushTokenState",
    "PushTokenStatePushTokenTypeType0",
    "PushTokenStateRetiredItem",
    "PushTokenStateRetiredItemPushTokenType",
    "PushTokenStateRoute",
    "PushTokenStateState",
    "QuietHours",
    "QuietHoursQuietHoursType0",
    "QuietHoursQuietHoursType0Action",
    "QuietHoursQuietHoursType0DaysItem",
    "QuietHoursRule",
    "QuietHoursRuleAction",
    "QuietHoursRuleDaysItem",
    "Readiness",
    "ReadinessDatabase",
    "ReadinessQueue",
    "ReadinessStatus",
    "Receipt",
    "RefusedBatchEntry",
    "RefusedBatchEntryCode",
    "RegisterDevice",
    "RegisterDeviceToken",
    "RegisterDeviceTokenTokenType",
    "RegisteredDevice",
    "RegisteredDeviceDevice",
    "RegisteredDeviceDeviceCustom",
    "RegisteredDeviceDeviceCustomAdditionalProperty",
    "RegisteredDeviceDeviceCustomAdditionalPropertyType",
    "RegisteredDeviceDeviceEvents",
    "RegisteredDeviceDeviceEventsAdditionalProperty",
    "RegisteredDeviceDeviceLocationType0",
    "RegisteredDeviceDeviceNotificationsAllowed",
    "RegisteredDeviceDevicePlatform",
    "RegisteredDeviceDevicePushTokenType",
    "RegisteredDeviceDeviceQuietHoursType0",
    "RegisteredDeviceDeviceQuietHoursType0DaysItem",
    "RegisteredDeviceDeviceSdkLocationType0",
    "RegisteredDeviceIgnoredItem",
    "RemoveApnsCredentialsEnvironment",
    "RemoveDeviceTokenTokenType",
    "RemoveFcmCredentialsEnvironment",
    "ReportEvents",
    "ReportOpen",
    "ReportedReceipts",
    "ReportedReceiptsRejectedItem",
    "ResumeRouteRoute",
    "ResumedRoute",
    "SearchDeliveriesOutcome",
    "SearchDeliveriesPlatform",
    "SetFrequencyCaps",
    "SetFrequencyCapsFrequencyCapsItem",
    "SetFrequencyCapsFrequencyCapsItemBy",
    "SetFrequencyCapsFrequencyCapsItemLimitsItem",
    "SetQuietHours",
    "StoredBatchEntry",
    "StoredBatchEntryTo",
    "StoredBatchEntryToType",
    "StoredCredentials",
    "StoredCredentialsGoodForType0Item",
    "StoredTarget",
    "StringAttribute",
    "TextFilter",
    "UpdateDevice",
    "UpdateUser",
    "UpdateUserUser",
    "UserDevices",
    "UserTarget",
    "Variant",
    "VariantLocalized",
    "VersionFilter",
    "VersionRange",
    "Webhook",
    "WebhookDeliveryList",
    "WebhookDeliveryListDeliveriesItem",
    "WebhookDeliveryListDeliveriesItemState",
    "WebhookList",
    "WebhookListWebhooksItem",
    "WebhookListWebhooksItemEventsItem",
    "WebhookTest",
    "WebhookWebhook",
    "WebhookWebhookEventsItem",
)
