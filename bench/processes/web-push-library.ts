/** The library web-push, as its README advises: an `agent` keeps connections. Without one, it opens a connection for each push. */
import { Agent } from 'node:https';
import webPush from 'web-push';
import { z } from 'zod';

/** A key pair for browsers, as it is in files and settings of the bench. */
export const vapidSchema = z.object({
  privateKey: z.string(),
  publicKey: z.string(),
  subject: z.string(),
  url: z.string().nullable(),
});

interface Options {
  ca: string | Buffer;
  vapid: z.infer<typeof vapidSchema>;
  /** Pushes at a time. */
  inFlight: number;
}

interface WebPushLibrary {
  /** @param keys the subscription's keys, with a point between. @returns the status; 0 for a push that failed */
  send(endpoint: string, keys: string, text: string): Promise<number>;
  close(): void;
}

export function openWebPushLibrary({ ca, vapid, inFlight }: Options): WebPushLibrary {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: inFlight });
  const { subject, publicKey, privateKey } = vapid;
  const vapidDetails = { subject, publicKey, privateKey };
  const options = { vapidDetails, TTL: 0, urgency: 'high', agent } as const;
  return {
    send: async (endpoint, keys, text) => {
      const [p256dh = '', auth = ''] = keys.split('.');
      const sent = webPush.sendNotification({ endpoint, keys: { p256dh, auth } }, text, options);
      return sent.then(
        ({ statusCode }) => statusCode,
        () => 0,
      );
    },
    close: () => agent.destroy(),
  };
}
