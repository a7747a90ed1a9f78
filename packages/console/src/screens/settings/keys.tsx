/** The API keys of the app: create (shown once), list, revoke. */
import { useState } from 'preact/hooks';
import { may } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { listed } from '../../kit/format.ts';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { ApiKey } from '../../replies.ts';
import { AdminsOnly, Choices, SecretButton, SettingsPage } from './page.tsx';

const scopes = [
  { value: 'read', label: 'read – everything of this app' },
  { value: 'write', label: 'write – send, audiences, webhooks' },
  { value: 'register', label: 'register – devices and events; the one to embed in an app' },
  { value: 'admin', label: 'admin – import, erase, keys, credentials, audit log' },
] as const;

export function Keys() {
  return may('admin') ? <KeyList /> : <AdminsOnly title="API keys" what="see its API keys" />;
}

function KeyList() {
  const keys = useReply<{ keys: ApiKey[] }>({ method: 'GET', path: '/v6/keys' });
  const rows = keys.data?.keys;
  return (
    <SettingsPage
      title="API keys"
      text="A back end, a tool or a copy of your app signs in with a key. Only its hash is stored."
      actions={
        <SecretButton
          label="New key"
          title="The new API key"
          onMade={keys.reload}
          dialog={(close, onSecret) => <NewKey onClose={close} onCreated={onSecret} />}
        />
      }>
      <List of={keys} label="API keys" columns={columns(keys.reload)} rows={rows}>
        <Empty title="This app has no API key" />
      </List>
      <ForDevelopers title="Ids of the keys">
        <JsonView value={Object.fromEntries(rows?.map(({ id, name }) => [id, name]) ?? [])} />
      </ForDevelopers>
    </SettingsPage>
  );
}

const columns = (reload: () => void): readonly Column<ApiKey>[] => [
  {
    title: 'Key',
    cell: ({ name, scopes: given }) => <TwoLines name={name ?? 'Without a name'} text={`May ${listed(given)}`} />,
  },
  {
    title: 'Used',
    cell: ({ last_used_at: at, created_at: created }) => (
      <TwoLines name={at === null ? 'Never' : <TimeAgo at={at} />} text={['made ', <TimeAgo at={created} />]} />
    ),
  },
  {
    title: 'State',
    cell: ({ revoked_at: at }) =>
      at === null ? (
        <Badge tone="good">Active</Badge>
      ) : (
        <span>
          <Badge tone="bad">Revoked</Badge> <TimeAgo at={at} />
        </span>
      ),
  },
  {
    title: 'Actions',
    align: 'end',
    cell: ({ id, name, revoked_at: at }) =>
      at === null && (
        <ActionButton
          label="Revoke"
          kind="danger"
          needs="admin"
          call={{ method: 'DELETE', path: `/v6/keys/${id}` }}
          done="The key is revoked."
          onDone={reload}
          confirm={{
            title: 'Revoke this key?',
            text: (
              <p>
                Calls with <bdi>{name ?? id}</bdi> are refused from now on, after two seconds at the latest. This cannot
                be undone.
              </p>
            ),
          }}
        />
      ),
  },
];

function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <ActionDialog
      title="New API key"
      label="Create"
      fields={{
        name: {
          label: 'Name',
          hint: 'For people: what uses it, such as “back end”.',
          required: false,
          autofocus: true,
        },
      }}
      call={({ name }) => ({
        method: 'POST',
        path: '/v6/keys',
        body: { key: { ...(name && { name }), scopes: chosen } },
      })}
      isComplete={chosen.length > 0}
      onDone={({ key }: { key: { secret: string } }) => onCreated(key.secret)}
      onClose={onClose}>
      <Choices legend="Permissions" all={scopes} chosen={chosen} onChange={setChosen} />
    </ActionDialog>
  );
}
