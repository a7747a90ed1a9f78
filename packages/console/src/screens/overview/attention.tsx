import { appAddress, may } from '../../frame/session.ts';
import { troubles } from '../../frame/troubles.ts';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import type { Attention } from '../../replies.ts';

/** What the status bar does not say: it is no trouble of the server's. Each line links to the screen that says more. */
export function AttentionList({ attention: all }: { attention: readonly Attention[] }): Content {
  const inBar = new Set<string>(troubles.value?.map(({ code }) => code));
  const attention = all.filter(({ code }) => !inBar.has(code));
  if (attention.length === 0) {
    if (troubles.value?.length !== 0) return null;
    return (
      <p class="overview-calm">
        <Icon name="check" />
        Nothing needs attention.
      </p>
    );
  }
  return (
    <section class="card overview-attention" aria-labelledby="overview-attention">
      <h2 id="overview-attention">Needs attention</h2>
      <ul>
        {attention.map((one) => {
          const { code, message, route, webhook_id: webhookId } = one;
          const next = nextOf(one);
          return (
            <li key={`${code} ${route ?? webhookId ?? ''}`}>
              <Icon name="warning" />
              <span dir="auto">{message}</span>
              {next !== undefined && <a href={next.address}>{next.label}</a>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function nextOf({ code, webhook_id: id }: Attention): { address: string; label: string } | undefined {
  switch (code) {
    case 'credentials_missing':
    case 'route_paused':
      return may('admin') ? { address: appAddress('settings/credentials'), label: 'Open the credentials' } : undefined;
    case 'webhook_failing':
      return id === null || !may('sender')
        ? undefined
        : { address: appAddress(`settings/webhooks/${encodeURIComponent(id)}`), label: 'Open its events' };
    case 'pushes_rejected':
    case 'notifications_troubled':
      return { address: appAddress('notifications'), label: 'Open the notifications' };
    case 'tokens_dead':
      return { address: appAddress('outcomes'), label: 'Open the outcomes' };
    default:
      return undefined;
  }
}
