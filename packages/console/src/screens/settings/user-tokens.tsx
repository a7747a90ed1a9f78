/** Whether phones prove their user by tokens of the back end, how many do, and the keys that check the tokens. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { may } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { DialogButton } from '../../kit/dialog.tsx';
import { Select, TextArea, TextField } from '../../kit/form.tsx';
import { formatShare } from '../../kit/format.ts';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { SettingsPage } from './page.tsx';
import type { Identity, IdentityKey, ReadIdentity } from '../../replies.ts';

const path = '/v6/app/identity';

const modes = [
  { value: 'off', label: 'Off: phones name any user' },
  { value: 'report', label: 'Report: count who would be refused' },
  { value: 'required', label: 'Required: refuse who brings no good token' },
] as const;
const algorithms = [
  { value: 'ES256', label: 'ES256: a P-256 public key' },
  { value: 'EdDSA', label: 'EdDSA: an Ed25519 public key' },
  { value: 'HS256', label: 'HS256: a shared secret in base64' },
] as const;

export function UserTokens() {
  const read = useReply<ReadIdentity>({ method: 'GET', path });
  const identity = read.data?.identity;
  return (
    <SettingsPage
      title="User tokens"
      text="Your back end signs who uses a phone, so that nobody gets the pushes of somebody else."
      actions={
        <DialogButton
          label="Add key"
          kind="primary"
          needs="admin"
          dialog={(close) => <AddKey onDone={read.reload} onClose={close} />}
        />
      }>
      {identity !== undefined && <Mode key={identity.mode} identity={identity} onDone={read.reload} />}
      <List
        of={read}
        label="Keys"
        columns={columns(read.reload)}
        rows={identity?.keys.map(({ key_id: id, algorithm, created_at }) => ({ id, algorithm, created_at }))}>
        <Empty title="No key yet">
          <p>Add the public key of your back end. Until then, no phone can prove its user.</p>
        </Empty>
      </List>
    </SettingsPage>
  );
}

const columns = (reload: () => void): readonly Column<Omit<IdentityKey, 'key_id'> & { id: string }>[] => [
  { title: 'Key', cell: ({ id, algorithm }) => <TwoLines name={id} text={algorithm} /> },
  { title: 'Added', cell: ({ created_at: at }) => <TimeAgo at={at} /> },
  {
    title: 'Actions',
    align: 'end',
    cell: ({ id }) => (
      <ActionButton
        label="Remove"
        kind="danger"
        needs="admin"
        call={{ method: 'DELETE', path: `${path}/keys/${id}` }}
        done="The key is removed."
        onDone={reload}
        confirm={{
          title: 'Remove this key?',
          text: 'Tokens that it has signed prove nothing from now on, after two seconds at the latest.',
        }}
      />
    ),
  },
];

function Mode({ identity, onDone }: { identity: Identity; onDone: () => void }) {
  const [mode, setMode] = useState(identity.mode);
  const { with_user: named, verified } = identity.devices;
  const hint =
    named === verified
      ? 'Every device with a user is verified.'
      : `${formatShare(verified, named)} of the devices with a user are verified. With “Required”, the others lose their user until their app is opened again.`;
  return (
    <section class="stack">
      <Select
        label="Phones that name a user"
        hint={hint}
        value={mode}
        options={modes}
        disabled={!may('admin')}
        onChange={setMode}
      />
      <ActionButton
        label="Save"
        kind="primary"
        needs="admin"
        disabled={mode === identity.mode ? 'Nothing is changed.' : undefined}
        call={{ method: 'PUT', path, body: { identity: { mode } } }}
        done="The setting is saved."
        onDone={onDone}
      />
    </section>
  );
}

function AddKey(props: { onDone: () => void; onClose: () => void }) {
  const [id, setId] = useState('');
  const [algorithm, setAlgorithm] = useState<IdentityKey['algorithm']>('ES256');
  const [key, setKey] = useState('');
  const add = (text: string): ApiCall => ({
    method: 'POST',
    path: `${path}/keys`,
    body: { identity_key: { key_id: id.trim(), algorithm, key: text } },
  });
  return (
    <ActionDialog
      title="Add key"
      label="Add"
      call={add(key)}
      shown={add('…')}
      isComplete={id.trim() !== '' && key.trim() !== ''}
      done="The key is added."
      {...props}>
      <TextField
        label="Id"
        hint="The “kid” in the header of the tokens, such as 2026-11."
        value={id}
        onInput={setId}
        autofocus
      />
      <Select label="Algorithm" value={algorithm} options={algorithms} onChange={setAlgorithm} />
      <TextArea
        label={algorithm === 'HS256' ? 'Secret' : 'Public key'}
        hint={algorithm === 'HS256' ? 'At least 32 bytes, in base64.' : 'As PEM or JWK.'}
        value={key}
        onInput={setKey}
        rows={5}
        code
      />
    </ActionDialog>
  );
}
