import { documentedCalls } from '../http/openapi/document.ts';

const TAGS = new Set(['Notifications', 'Audiences', 'Devices', 'Users', 'Channels', 'Webhooks']);

/** The calls that a client has. */
export const calls = documentedCalls.filter(
  ({ path, operation }) => path.startsWith('/v6/') && operation.tags.some((tag) => TAGS.has(tag)),
);
