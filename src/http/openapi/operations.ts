import { audienceOperations } from './audience-operations.ts';
import { deviceOperations } from './device-operations.ts';
import { notificationOperations } from './notification-operations.ts';
import type { Operation } from './operation.ts';
import { serviceOperations } from './service-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/** Every call of the API, in the order in which they are shown. */
export const operations: readonly Operation[] = [
  ...notificationOperations,
  ...audienceOperations,
  ...deviceOperations,
  ...webhookOperations,
  ...serviceOperations,
];
