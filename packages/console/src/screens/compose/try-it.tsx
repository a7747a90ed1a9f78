/** Trying a draft before it is sent: a dry run, and a test to development devices, one device or one user. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { appAddress, may } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, Select, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { CountLine, useCount } from './count.tsx';
import { newKey } from './draft/draft.ts';
import type { Sent } from './follow.tsx';
import { textFrom } from './draft/json.ts';
import { type JsonObject, withMember } from './draft/members.ts';
import { withOnlyVariant } from './draft/content-sections.ts';
import { DEVELOPMENT } from './draft/target.ts';
import { variantName, variantsOf } from './draft/variants.ts';
import { chosenSection } from './what/chosen-section.ts';
import type { CreatedNotification } from '../../replies.ts';

/** Members that a test leaves out, because it is sent now and to few devices. */
const NOT_IN_TESTS: ReadonlySet<string> = new Set([
  'deliver_at',
  'deliver_at_local',
  'spread_over',
  'quiet_hours',
  'dry_run',
  'max_recipients',
  // A person who waits for a test must not be held out.
  'hold_out',
]);

/** Lets the hash decide which variant each device gets. */
const ASSIGNED = 'assigned';

const TEST_TARGETS = [
  { value: 'development', label: 'Development devices' },
  { value: 'device', label: 'One device' },
  { value: 'user', label: 'One user' },
  { value: 'dry', label: 'Nobody: a dry run' },
] as const;

type TestTarget = (typeof TEST_TARGETS)[number]['value'];

function createCall(notification: JsonObject, idempotencyKey: string): ApiCall {
  const body = `{"notification":${textFrom(notification)}}`;
  return { method: 'POST', path: '/v6/notifications', body, idempotencyKey };
}

export function TestDialog(props: {
  notification: JsonObject;
  /** Why the whole draft would be refused now; a test may still be sent, because it has recipients of its own. */
  against: string | undefined;
  onSent: (sent: Sent) => void;
  onClose: () => void;
}): Content {
  const { notification, against, onSent, onClose } = props;
  const shown = chosenSection(notification).variant ?? 0;
  const [variant, setVariant] = useState(variantsOf(notification).length > 0 ? String(shown) : ASSIGNED);
  const [kind, setKind] = useState<TestTarget>('development');
  const [id, setId] = useState('');
  const isDry = kind === 'dry';
  const to = targetOfTest(kind, id);
  const counted = useCount(isDry ? notification['to'] : to);
  const devices = counted.count?.device_count;
  const sent = variant === ASSIGNED ? notification : withOnlyVariant(notification, Number(variant));
  const test = isDry ? withMember(notification, 'dry_run', true) : testOf(sent, to, devices);
  // The key belongs to this test: another target is another notification.
  const [keys] = useState(() => new Map<string, string>());
  const call = createCall(test, keyFor(keys, textFrom(test)));
  const { run, isBusy, error } = useAction<CreatedNotification>({
    call,
    onDone: (created) => {
      onSent({ id: created.id, what: isDry ? 'The dry run' : 'The test' });
      onClose();
    },
  });
  return (
    <Dialog title="Test" onClose={onClose}>
      <Form onSubmit={run}>
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
          <TextField
            label={kind === 'device' ? 'Id of the device' : 'Id of the user'}
            code
            value={id}
            onInput={(text) => setId(text.trim())}
          />
        )}
        {!isDry && variantsOf(notification).length > 0 && (
          <Select
            label="Variant"
            value={variant}
            options={[
              ...Array.from(variantsOf(notification).keys(), (index) => ({
                value: String(index),
                label: variantName(notification, index),
              })),
              { value: ASSIGNED, label: 'As each device is assigned' },
            ]}
            onChange={setVariant}
          />
        )}
        <CountLine counted={counted} />
        {kind === 'development' && devices === 0 && <NoneFlagged />}
        {isDry && against !== undefined && <p class="hint">{against}</p>}
        {error !== undefined && <Failure error={error} />}
        <footer>
          <Curl call={call} />
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button
            class="primary"
            disabled={isBusy || !may('sender') || (isDry ? against !== undefined : !devices)}
            aria-busy={isBusy}>
            {isDry ? 'Start the dry run' : 'Send the test'}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function NoneFlagged(): Content {
  return (
    <p class="hint">
      No device is flagged as development. Flag yours on its page among <a href={appAddress('devices')}>the devices</a>,
      or send the test to one device.
    </p>
  );
}

function targetOfTest(kind: TestTarget, id: string): unknown {
  if (kind === 'development' || kind === 'dry') return DEVELOPMENT;
  return kind === 'device' ? { device_id: id } : { user_id: id };
}

function testOf(notification: JsonObject, to: unknown, devices: number | undefined): JsonObject {
  const kept = Object.entries(notification).filter(([name]) => !NOT_IN_TESTS.has(name));
  // Somebody waits for it, even at night.
  const test = { ...withMember(Object.fromEntries(kept), 'to', to), quiet_hours: 'ignore_all' };
  return devices ? withMember(test, 'max_recipients', devices) : test;
}

function keyFor(keys: Map<string, string>, text: string): string {
  const key = keys.get(text) ?? newKey();
  keys.set(text, key);
  return key;
}
