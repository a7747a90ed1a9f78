/** Follows a notification that was just sent, until it has ended: a test, a dry run. */
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { Failure, Loading } from '../../kit/states.tsx';
import type { Notification } from '../../replies.ts';

const EVERY_MS = 700;
/** A paused route can hold a push for long; its own page shows why. */
const ASKED_MAX = 100;

export interface Sent {
  id: string;
  /** The subject of sentences about it: 'The test', 'The dry run'. */
  what: string;
}

export function Follow({ id, what }: Sent): Content {
  const [followed, setFollowed] = useState<Notification | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    setFollowed(undefined);
    setError(undefined);
    void poll(id, controller.signal, setFollowed).catch((failure: unknown) => {
      if (!controller.signal.aborted) setError(failure);
    });
    return () => controller.abort();
  }, [id]);
  return (
    <div class="compose-followed" role="status">
      {error !== undefined && <Failure error={error} />}
      {followed === undefined ? (
        error === undefined && <Loading what={`${what} starts`} />
      ) : (
        <p>
          {sentence(what, followed)} <a href={appAddress(`notifications/${encodeURIComponent(id)}`)}>Its page</a>
        </p>
      )}
      {followed !== undefined && followed.state !== 'validated' && followed.devices > 0 && (
        <OutcomeBar counts={followed} legend />
      )}
    </div>
  );
}

async function poll(id: string, signal: AbortSignal, show: (followed: Notification) => void): Promise<void> {
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    const path = `/v6/notifications/${encodeURIComponent(id)}`;
    const followed = await call<Notification>({ method: 'GET', path }, signal);
    show(followed);
    if (followed.state !== 'scheduled' && followed.state !== 'sending') return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    if (signal.aborted) return;
  }
}

function sentence(what: string, { state, reason, devices }: Notification): string {
  switch (state) {
    case 'scheduled':
      return `${what} is about to start.`;
    case 'sending':
      return `${what} is being sent to ${plural(devices, 'device')}.`;
    case 'sent':
      return devices === 0 ? `${what} had no recipients.` : `${what} has been sent to ${plural(devices, 'device')}.`;
    case 'validated':
      return `${what} has found ${plural(devices, 'device')}; nothing was sent.`;
    case 'canceled':
      return `${what} was canceled.`;
    case 'failed':
      return `${what} has failed: ${reason ?? 'no reason is known'}.`;
  }
}
