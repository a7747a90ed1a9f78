/** A test push, the development flag, and erasing a device: those that the user may do. */
import { useSignal } from '@preact/signals';
import { go, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { TextField } from '../../kit/form.tsx';
import { nameOf } from './words.ts';
import type { CreatedNotification, Device } from '../../replies.ts';

const TEST_SECONDS = 600;

interface ActionProps {
  device: Device;
  onChanged: () => void;
  /** Called with the id of a test push. */
  onSent: (notificationId: string) => void;
}

export function Actions(props: ActionProps) {
  return (
    <div class="buttons">
      {may('sender') && <TestPush {...props} />}
      {may('admin') && <Flag {...props} />}
      {may('admin') && <Erase {...props} />}
    </div>
  );
}

function TestPush({ device, onSent }: ActionProps) {
  const text = useSignal('This is a test.');
  const body = {
    notification: { to: { device_id: device.id }, payload: { alert: text.value }, time_to_live: TEST_SECONDS },
  };
  return (
    <ActionButton
      label="Send a test push"
      kind="primary"
      call={{ method: 'POST', path: '/v6/notifications', body }}
      confirm={{
        title: 'Send a test push',
        label: 'Send',
        isComplete: text.value.trim() !== '',
        text: (
          <div class="stack">
            <p>
              To <bdi>{nameOf(device)}</bdi> alone. The push is given up after ten minutes.
            </p>
            {device.push_token === null && (
              <p class="note warn">The device has no push token, so the push cannot reach it.</p>
            )}
            <TextField label="Text" value={text.value} required onInput={(value) => (text.value = value)} />
          </div>
        ),
      }}
      done="The test push is on its way."
      onDone={({ id }: CreatedNotification) => {
        onSent(id);
        setQuery({ why: id }, 'push'); // shows the outcome as soon as there is one
      }}
    />
  );
}

function Flag({ device: { id, development, platform }, onChanged }: ActionProps) {
  const where = platform === 'Android' ? '' : ` Pushes go through Apple’s ${development ? 'production' : 'sandbox'}.`;
  return (
    <ActionButton
      label={development ? 'Remove the development flag' : 'Flag as development'}
      call={{ method: 'PUT', path: `/v6/devices/${id}`, body: { device: { development: !development } } }}
      done={`The device is ${development ? 'no longer a development device' : 'flagged as development'}.${where}`}
      onDone={onChanged}
    />
  );
}

function Erase({ device }: ActionProps) {
  const { id } = device;
  return (
    <ActionButton
      label="Erase"
      kind="danger"
      call={{ method: 'DELETE', path: `/v6/devices/${id}` }}
      confirm={{
        title: 'Erase this device?',
        text: (
          <p>
            All data of <bdi>{nameOf(device)}</bdi> is deleted: attributes, events and push token. This cannot be
            undone. Its id stays erased; when the app is opened again, it registers as a new device.
          </p>
        ),
        typed: id.slice(0, 8),
      }}
      done="The device is erased."
      onDone={() => go(appAddress('devices', { q: id }))}
    />
  );
}
