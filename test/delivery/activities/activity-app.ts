/** An app with Live Activities, whose devices register tokens through the API. */
import { useApiApp } from '../api-app.ts';
import { newToken } from '../../support/push-token.ts';

export function useActivityApp() {
  const app = useApiApp({ newAppEachTest: true });
  return Object.assign(app, {
    /** Registers a token for another push type. @returns the token */
    async token(deviceId: string, type: string, name: string): Promise<string> {
      const pushToken = newToken();
      await app.call(`PUT /v6/devices/${deviceId}/tokens/${type}/${name}`, { push_token: pushToken });
      return pushToken;
    },
    outcome: async (id: string, deviceId: string) =>
      app.call(`GET /v6/notifications/${id}/deliveries/${deviceId}`),
    pushes: (token: string) => app.simulator.received({ token }),
  });
}

export function update(state: object, more: object = {}): object {
  const { activity_id = 'order-4711', ...rest } = { activity_id: undefined, ...more };
  return {
    to: '*',
    live_activity: { event: 'update', activity_id: activity_id ?? 'order-4711', content_state: state },
    ...rest,
  };
}

export function end(state?: object): object {
  const content = state && { content_state: state };
  return { to: '*', live_activity: { event: 'end', activity_id: 'order-4711', ...content } };
}
