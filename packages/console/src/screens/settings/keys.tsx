/** The API keys of the app: create (shown once), list, revoke. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { app, may } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { listed } from '../../kit/format.ts';
import { TextField } from '../../kit/form.tsx';
import { useResource } from '../../kit/resource.ts';
import { Empty, Waiting } from '../../kit/states.tsx';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { Choices } from './choices.tsx';
import { SecretDialog } from './secret.tsx';
import { SettingsPage } from './page.tsx';
import type { ApiKey } from '../../replies.ts';

const list: ApiCall = { method: 'GET', path: '/v6/keys' };

const scopeTexts = {
  read: 'read – everything of this app',
  write: 'write – send, audiences, webhooks',
  register: 'register – devices and events; the one to embed in an app',
  admin: 'admin – import, erase, keys, credentials, audit log',
} as const;
const scopes = ['read', 'write', 'register', 'admin'] as const;
type Scope = (typeof scopes)[number];

export function Keys() {
  if (may('admin')) return <KeyList />;
  return (
    <SettingsPage title="API keys">
      <Empty title="Only admins of this app may see its API keys" />
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
      <TwoLines
        name={at === null ? 'Never' : <TimeAgo at={at} />}
        text={
          <>
            made <TimeAgo at={created} />
          </>
        }
      />
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
    cell: (key) => (key.revoked_at === null ? <Revoke apiKey={key} reload={reload} /> : '–'),
  },
];

function KeyList() {
  const { state, reload } = useResource(async (signal) => call<{ keys: ApiKey[] }>(list, signal), [app.value?.id]);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const { data } = state.value;
  return (
    <SettingsPage
      title="API keys"
      text="A back end, a tool or a copy of your app signs in with a key. Only its hash is stored."
      actions={
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          New key
        </button>
      }>
      <Curl call={list} />
      <Waiting of={state.value} retry={reload} what="Reading the keys" />
      {data?.keys.length === 0 && <Empty title="This app has no API key" />}
      {data !== undefined && data.keys.length > 0 && (
        <div class="table-frame">
          <Table label="API keys" columns={columns(reload)} rows={data.keys} keyOf={({ id }) => id} />
        </div>
      )}
      <ForDevelopers title="Ids of the keys">
        <JsonView value={Object.fromEntries(data?.keys.map(({ id, name }) => [id, name]) ?? [])} />
      </ForDevelopers>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created);
            reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog title="The new API key" secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </SettingsPage>
  );
}

function Revoke({ apiKey: { id, name }, reload }: { apiKey: ApiKey; reload: () => void }) {
  return (
    <ActionButton
      label="Revoke"
      kind="danger"
      needs="admin"
      call={{ method: 'DELETE', path: `/v6/keys/${id}` }}
      onDone={() => {
        announce('The key is revoked.');
        reload();
      }}
      confirm={{
        title: 'Revoke this key?',
        text: (
          <p>
            Calls with{' '}
            <bdi>
              <strong>{name ?? id}</strong>
            </bdi>{' '}
            are refused from now on, after two seconds at the latest. This cannot be undone.
          </p>
        ),
      }}
    />
  );
}

function NewKey(props: { onClose: () => void; onCreated: (secret: string) => void }) {
  const { onClose, onCreated } = props;
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const request: ApiCall = {
    method: 'POST',
    path: '/v6/keys',
    body: { key: { ...(name.trim() !== '' && { name: name.trim() }), scopes: chosen } },
  };
  return (
    <ActionDialog
      title="New API key"
      label="Create"
      call={request}
      isComplete={chosen.length > 0}
      onDone={({ key }: { key: { secret: string } }) => onCreated(key.secret)}
      onClose={onClose}>
      <TextField
        label="Name"
        hint="For people: what uses it, such as “back end”."
        value={name}
        onInput={setName}
        autofocus
      />
      <Choices
        legend="Permissions"
        all={scopes.map((scope) => ({ value: scope, label: scopeTexts[scope] }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </ActionDialog>
  );
}
