/** A test push, the development flag, and erasing a device: those that the user may do. */
import { useSignal } from '@preact/signals';
import type { ApiCall } from '../../frame/api.ts';
import { go, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { TextField } from '../../kit/form.tsx';
import { nameOf } from './words.ts';
import type { CreatedNotification, Device } from '../../replies.ts';

export function Actions(props: {
  device: Device;
  onChanged: () => void;
  /** Called with the id of a test push. */
  onSent: (notificationId: string) => void;
}) {
  const { device, onChanged, onSent } = props;
  return (
    <div class="buttons">
      {may('sender') && <TestPush device={device} onSent={onSent} />}
      {may('admin') && <Flag device={device} onChanged={onChanged} />}
      {may('admin') && <Erase device={device} />}
    </div>
  );
}

function Flag({ device, onChanged }: { device: Device; onChanged: () => void }) {
  const { id, development, platform } = device;
  const body = { device: { development: !development } };
  const where = platform === 'Android' ? '' : ` Pushes go through Apple’s ${development ? 'production' : 'sandbox'}.`;
  return (
    <ActionButton
      label={development ? 'Remove the development flag' : 'Flag as development'}
      needs="admin"
      call={{ method: 'PUT', path: `/v6/devices/${id}`, body }}
      done={`The device is ${development ? 'no longer a development device' : 'flagged as development'}.${where}`}
      onDone={onChanged}
    />
  );
}

function Erase({ device }: { device: Device }) {
  const { id } = device;
  return (
    <ActionButton
      label="Erase"
      kind="danger"
      needs="admin"
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

interface TestPushProps {
  device: Device;
  onSent: (notificationId: string) => void;
}

function TestPush({ device, onSent }: TestPushProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
        Send a test push
      </button>
      {isOpen.value && <TestPushDialog device={device} onSent={onSent} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function TestPushDialog({ device, onSent, onClose }: TestPushProps & { onClose: () => void }) {
  const text = useSignal('This is a test.');
  const call: ApiCall = {
    method: 'POST',
    path: '/v6/notifications',
    body: {
      notification: {
        to: { device_id: device.id },
        payload: { alert: text.value },
        time_to_live: TEST_SECONDS,
      },
    },
  };
  return (
    <ActionDialog
      title="Send a test push"
      label="Send"
      call={call}
      isComplete={text.value.trim() !== ''}
      done="The test push is on its way."
      onDone={({ id }: CreatedNotification) => {
        onSent(id);
        onClose();
        setQuery({ why: id }, 'push'); // shows the outcome as soon as there is one
      }}
      onClose={onClose}>
      <p>
        To <bdi>{nameOf(device)}</bdi> alone. The push is given up after ten minutes.
      </p>
      {device.push_token === null && (
        <p class="note warn">The device has no push token, so the push cannot reach it.</p>
      )}
      <TextField label="Text" value={text.value} required onInput={(value) => (text.value = value)} />
    </ActionDialog>
  );
}

const TEST_SECONDS = 600;
