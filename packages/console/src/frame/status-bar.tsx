import { useState } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { TimeAgo } from '../kit/time.tsx';
import { appAddress, appPlace, may } from './session.ts';
import { isMild, type ShownTrouble, troubles, useTroubles } from './troubles.ts';

/** In the header, while all is well; otherwise the bar below says what is not. */
export function Ready() {
  const isReady = troubles.value?.length === 0;
  return isReady && <span class="ready">Ready</span>;
}

/** Says below the header what is wrong, the worst first, with one action; nothing while all is well. */
export function StatusBar() {
  const [isOpen, setOpen] = useState(false);
  useTroubles();
  const [worst, ...others] = troubles.value ?? [];
  return (
    <section aria-label="Status">
      {/* Without the times, which change: a screen reader speaks each trouble once. */}
      <p class="visually-hidden" role="status">
        {(troubles.value ?? []).map(({ what }) => what).join(' ')}
      </p>
      {worst !== undefined && (
        <div class={isMild(worst) ? 'status-bar warn' : 'status-bar bad'}>
          <TroubleLine trouble={worst} isOpen={isOpen} />
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Less' : others.length === 0 ? 'What to do' : `What to do, and ${others.length} more`}
          </button>
          {isOpen &&
            others.map((trouble) => (
              <TroubleLine key={`${trouble.code} ${trouble.route} ${trouble.webhook_id}`} trouble={trouble} isOpen />
            ))}
        </div>
      )}
    </section>
  );
}

function TroubleLine({ trouble, isOpen }: { trouble: ShownTrouble; isOpen: boolean }) {
  const { what, since, effect, remedy } = trouble;
  const next = nextOf(trouble);
  return (
    <div class="trouble">
      <Icon name="warning" />
      <div>
        <p dir="auto">
          <strong>{what}</strong> Began <TimeAgo at={since} />.
        </p>
        {isOpen && <p dir="auto">{effect}</p>}
        {isOpen && <p dir="auto">{remedy}</p>}
      </div>
      {next !== undefined && <a href={next.address}>{next.label}</a>}
    </div>
  );
}

const labels: Readonly<Record<string, string>> = {
  'settings/credentials': 'Open the credentials',
  'settings/webhooks': 'Open its events',
  notifications: 'Open the notification',
};

function nextOf({ link }: ShownTrouble): { address: string; label: string } | undefined {
  if (link === undefined || link === null || link === appPlace.value?.rest) return undefined;
  if (link.startsWith('settings/') && !may('admin')) return undefined;
  const label = Object.entries(labels).find(([start]) => link.startsWith(start))?.[1] ?? 'Open';
  return { address: appAddress(link), label };
}
