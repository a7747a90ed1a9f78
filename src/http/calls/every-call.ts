import type { CallFacts } from '../call.ts';
import { audienceCalls } from './audiences.ts';
import { importDevicesCall } from './device-import.ts';
import { deviceCalls } from './devices.ts';
import { healthCalls } from './health.ts';
import { createNotificationsCall } from './notification-batch.ts';
import { notificationCalls } from './notifications.ts';
import { descriptionCalls, metricsCall } from './service.ts';
import { userCalls } from './users.ts';
import { webhookCalls } from './webhooks.ts';

/** The calls that need a key. */
export const featureCalls = [
  ...notificationCalls,
  createNotificationsCall,
  ...audienceCalls,
  ...deviceCalls,
  importDevicesCall,
  ...userCalls,
  ...webhookCalls,
];

/** Every call, in the order of the API document. */
export const everyCall: readonly CallFacts[] = [
  ...featureCalls,
  ...healthCalls,
  metricsCall,
  ...descriptionCalls,
];
