/** Simulates open consoles: makes the calls of the pages of the list and of one notification. */
import { once } from 'node:events';
import { Agent, get, type ClientRequest } from 'node:http';

export interface Consoles {
  /** Opens a live view of the notification in each of them. */
  watch(notificationId: string): void;
  /** Resolves when the live views have ended, as they do within a second or so of the notification. */
  ended(): Promise<void>;
  /** @returns the events of live views, and the replies to other calls, since the consoles were opened */
  close(): Promise<{ events: number; replies: number }>;
}

/** The interval in `src/console/browser`. */
const LIST_EVERY_MS = 4_000;
const REPORT_EVERY_MS = 15_000;
const END_TIMEOUT_MS = 10 * 60_000;

export function openConsoles(
  { url, authorization }: { url: string; authorization: string },
  consoles: number,
): Consoles {
  const agent = new Agent({ keepAlive: true });
  const requests = new Set<ClientRequest>();
  const timers: NodeJS.Timeout[] = [];
  const views: Promise<unknown>[] = [];
  const counted = { events: 0, replies: 0 };
  let failure: Error | undefined;
  let isClosed = false;

  const call = (path: string, onData: (text: string) => void, onEnd: () => void): ClientRequest => {
    const request = get(url + path, { agent, headers: { authorization } }, (reply) => {
      if (reply.statusCode !== 200) failure ??= new Error(`GET ${path} answered ${reply.statusCode}`);
      reply.setEncoding('utf8').on('data', onData).on('end', onEnd).on('error', ignore);
    });
    requests.add(request);
    request.on('error', (error) => {
      if (!isClosed) failure ??= error;
    });
    request.on('close', () => requests.delete(request));
    return request;
  };
  const read = (path: string): void => void call(path, ignore, () => (counted.replies += 1));

  for (let each = 0; each < consoles; each++) {
    timers.push(setInterval(() => read('/v6/notifications/newer'), LIST_EVERY_MS));
  }
  return {
    watch: (id) => {
      for (let each = 0; each < consoles; each++) {
        read(`/v6/notifications/${id}/report`);
        timers.push(setInterval(() => read(`/v6/notifications/${id}/report`), REPORT_EVERY_MS));
        const view = call(
          `/v6/notifications/${id}/live`,
          (text) => (counted.events += text.split('event: ').length - 1),
          ignore,
        );
        views.push(once(view, 'close', { signal: AbortSignal.timeout(END_TIMEOUT_MS) }));
      }
    },
    ended: async () => {
      await Promise.all(views);
    },
    close: async () => {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
      for (const request of requests) request.destroy();
      agent.destroy();
      if (failure !== undefined) throw failure;
      return counted;
    },
  };
}

function ignore(): void {
  // Only its arrival counts.
}
