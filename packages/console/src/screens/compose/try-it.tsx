/** Trying a draft before it is sent: a dry run, and a test to development devices, one device or one user. */
import { useRef, useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { formatNumber, plural } from '../../kit/format.ts';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { useReply, useWhileVisible, Waiting } from '../../kit/states.tsx';
import type { CreatedNotification, Notification } from '../../replies.ts';
import { CountLine } from './bar.tsx';
import { withOnlyVariant } from './draft/content-sections.ts';
import { newKey, textFrom } from './draft/draft.ts';
import { type JsonObject, withMember } from './draft/members.ts';
import { DEVELOPMENT } from './draft/target.ts';
import { variantName, variantsOf } from './draft/variants.ts';
import { chosenSection } from './form.tsx';
import { useCount } from './preview.tsx';

/** Members that a test leaves out, because it is sent now and to few devices; who waits for a test must not be held out. */
const NOT_IN_TESTS = 'deliver_at deliver_at_local spread_over quiet_hours dry_run max_recipients hold_out'.split(' ');

/** Lets the hash decide which variant each device gets. */
const ASSIGNED = 'assigned';

const TEST_TARGETS = [
  { value: 'development', label: 'Development devices' },
  { value: 'device', label: 'One device' },
  { value: 'user', label: 'One user' },
  { value: 'dry', label: 'Nobody: a dry run' },
] as const;

type TestTarget = (typeof TEST_TARGETS)[number]['value'];

export interface Sent {
  id: string;
  /** The subject of sentences about it: 'The test', 'The dry run'. */
  what: string;
}

/**
 * @param props.against why the whole draft would be refused now; a test may still be sent, because it has recipients of its
 *   own
 */
export function TestDialog(props: {
  notification: JsonObject;
  against: string | undefined;
  onSent: (sent: Sent) => void;
  onClose: () => void;
}) {
  const { notification, against, onSent, onClose } = props;
  const variants = variantsOf(notification);
  const shown = chosenSection(notification).variant ?? 0;
  const [variant, setVariant] = useState(variants.length > 0 ? String(shown) : ASSIGNED);
  const [kind, setKind] = useState<TestTarget>('development');
  const [id, setId] = useState('');
  const isDry = kind === 'dry';
  const to = { development: DEVELOPMENT, device: { device_id: id }, user: { user_id: id }, dry: notification['to'] }[
    kind
  ];
  const counted = useCount(to);
  const devices = counted.count?.device_count;
  const sent = variant === ASSIGNED ? notification : withOnlyVariant(notification, Number(variant));
  const test = textFrom(isDry ? withMember(notification, 'dry_run', true) : testOf(sent, to, devices));
  // The key belongs to this test: another target is another notification.
  const [keys] = useState(() => new Map<string, string>());
  const key = keys.get(test) ?? newKey();
  keys.set(test, key);
  const body = `{"notification":${test}}`;
  const call: ApiCall = { method: 'POST', path: '/v6/notifications', body, idempotencyKey: key };
  return (
    <ActionDialog<CreatedNotification>
      title="Test"
      label={isDry ? 'Start the dry run' : 'Send the test'}
      call={call}
      isComplete={may('sender') && (isDry ? against === undefined : !!devices)}
      onDone={(created) => {
        onSent({ id: created.id, what: isDry ? 'The dry run' : 'The test' });
        onClose();
      }}
      onClose={onClose}>
      <p>
        {isDry
          ? 'Everything is checked, stored and counted as if it were sent. Nothing is sent.'
          : 'The same message, now, to devices of your own.'}
      </p>
      <Select
        label="Send it to"
        value={kind}
        options={TEST_TARGETS}
        hint={kind === 'development' ? 'The devices that are flagged as development.' : undefined}
        onChange={(chosen) => {
          setKind(chosen);
          setId('');
        }}
      />
      {(kind === 'device' || kind === 'user') && (
        <TextField label={`Id of the ${kind}`} code value={id} onInput={(text) => setId(text.trim())} />
      )}
      {!isDry && variants.length > 0 && (
        <Select
          label="Variant"
          value={variant}
          options={[
            ...variants.map((_, index) => ({ value: String(index), label: variantName(notification, index) })),
            { value: ASSIGNED, label: 'As each device is assigned' },
          ]}
          onChange={setVariant}
        />
      )}
      <CountLine counted={counted} />
      {kind === 'development' && devices === 0 && (
        <p class="hint">
          No device is flagged as development. Flag yours on its page among{' '}
          <a href={appAddress('devices')}>the devices</a>, or send the test to one device.
        </p>
      )}
      {isDry && against !== undefined && <p class="hint">{against}</p>}
    </ActionDialog>
  );
}

function testOf(notification: JsonObject, to: unknown, devices: number | undefined): JsonObject {
  const kept = Object.entries(notification).filter(([name]) => !NOT_IN_TESTS.includes(name));
  // Somebody waits for it, even at night.
  const test = { ...withMember(Object.fromEntries(kept), 'to', to), quiet_hours: 'ignore_all' };
  return devices ? withMember(test, 'max_recipients', devices) : test;
}

const EVERY_MS = 700;
/** A paused route can hold a push for long; its own page shows why. */
const ASKED_MAX = 100;

/** Follows a notification that was just sent, until it has ended. */
export function Follow({ id, what }: Sent) {
  const path = `/v6/notifications/${encodeURIComponent(id)}`;
  const read = useReply<Notification>({ method: 'GET', path });
  const { data, refresh } = read;
  const isOver = data !== undefined && data.state !== 'scheduled' && data.state !== 'sending';
  const asked = useRef(0);
  useWhileVisible(isOver || asked.current > ASKED_MAX ? undefined : EVERY_MS, () => {
    asked.current += 1;
    refresh();
  });
  return (
    <div class="stack" role="status">
      <Waiting of={read} what={`${what} starts`} />
      {data !== undefined && (
        <p>
          {sentence(what, data)} <a href={appAddress(`notifications/${encodeURIComponent(id)}`)}>Its page</a>
        </p>
      )}
      {data !== undefined && data.state !== 'validated' && data.devices > 0 && <OutcomeBar counts={data} legend />}
    </div>
  );
}

function sentence(what: string, { state, reason, devices: count, accepted }: Notification): string {
  const devices = plural(count, 'device');
  const said = {
    scheduled: 'is about to start',
    sending: `is being sent to ${devices}`,
    sent: count === 0 ? 'had no recipients' : `has ended: ${formatNumber(accepted)} of ${devices} accepted it`,
    validated: `has found ${devices}; nothing was sent`,
    canceled: 'was canceled',
    failed: `has failed: ${reason ?? 'no reason is known'}`,
  };
  return `${what} ${said[state]}.`;
}
