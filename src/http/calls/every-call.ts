import type { CallFacts } from '../call.ts';
import { auditCalls } from './admin/audit.ts';
import { readAppCall, readOverviewCall, readStatusCall } from './app.ts';
import { consoleUserCalls } from './admin/console-users.ts';
import { credentialCalls } from './admin/credentials.ts';
import { identityCalls } from './admin/identity.ts';
import { keyCalls } from './admin/keys.ts';
import { limitCalls } from './admin/limits.ts';
import { audienceCalls } from './audiences/audiences.ts';
import { audienceDeviceCalls } from './audiences/devices.ts';
import { suggestCalls } from './audiences/suggest.ts';
import { tryFiltersCalls } from './audiences/try-filters.ts';
import { channelCalls } from './channels.ts';
import { importDevicesCall } from './devices/import.ts';
import { deviceLookUpCalls } from './devices/look-up.ts';
import { pushCalls } from './devices/pushes.ts';
import { deviceCalls } from './devices/devices.ts';
import { deviceTokenCalls } from './devices/tokens.ts';
import { healthCalls } from './health.ts';
import { createNotificationsCall } from './notifications/batch.ts';
import { listDueCall } from './notifications/due.ts';
import { countCalls } from './notifications/count.ts';
import { previewNotificationCall } from './notifications/preview.ts';
import { notificationProgressCalls } from './notifications/progress-calls.ts';
import { notificationCalls } from './notifications/notifications.ts';
import { planWavesCall } from './notifications/waves.ts';
import { outcomeSearchCalls } from './notifications/outcome-search.ts';
import { reportReceiptsCall } from './notifications/receipts.ts';
import { descriptionCalls, metricsCall } from './service.ts';
import { userCalls } from './users.ts';
import { webhookCalls } from './webhooks.ts';

/** The calls that need a key. */
export const featureCalls = [
  ...notificationCalls,
  ...notificationProgressCalls,
  ...outcomeSearchCalls,
  createNotificationsCall,
  reportReceiptsCall,
  previewNotificationCall,
  ...countCalls,
  listDueCall,
  planWavesCall,
  ...audienceCalls,
  ...tryFiltersCalls,
  ...suggestCalls,
  ...audienceDeviceCalls,
  ...deviceCalls,
  ...deviceTokenCalls,
  ...deviceLookUpCalls,
  ...pushCalls,
  importDevicesCall,
  ...userCalls,
  ...channelCalls,
  ...webhookCalls,
  ...keyCalls,
  ...credentialCalls,
  ...identityCalls,
  ...auditCalls,
  readAppCall,
  ...limitCalls,
  readOverviewCall,
  readStatusCall,
  ...consoleUserCalls,
];

/** Every call, in the order of the API document. */
export const everyCall: readonly CallFacts[] = [
  ...featureCalls,
  ...healthCalls,
  metricsCall,
  ...descriptionCalls,
];
