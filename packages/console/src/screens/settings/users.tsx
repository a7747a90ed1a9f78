/** The users of the app: their names, their roles, and how they sign in. */
import { useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { root } from '../../frame/router.ts';
import { app, loadSession, may, session } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Waiting } from '../../kit/states.tsx';
import { Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { SettingsPage } from './page.tsx';
import { InviteDialog, type Link, UserDialog } from './user-dialogs.tsx';
import type { AppUser } from '../../replies.ts';

const PATH = '/v6/console-users';

const signInTexts: Readonly<Record<AppUser['signs_in'], Content>> = {
  password: 'Password',
  openid: 'OpenID',
  not_yet: <Badge tone="warn">Invited</Badge>,
};

export function Users() {
  const appId = app.value?.id;
  const { state, reload } = useResource(
    async (signal) => call<{ users: AppUser[] }>({ method: 'GET', path: PATH }, signal),
    [appId],
  );
  const [dialog, setDialog] = useState<'invite' | AppUser | undefined>(undefined);
  const [link, setLink] = useState<Link | undefined>(undefined);
  const own = session.value?.user.id;
  const { data } = state.value;

  const changed = async (said: string, user: { id: string }): Promise<void> => {
    setDialog(undefined);
    announce(said);
    reload();
    if (user.id === own) await loadSession();
  };
  const columns = [
    {
      title: 'Name',
      cell: (user: AppUser) => (
        <TwoLines
          name={
            <>
              {user.name}
              {user.id === own && ' (you)'}
            </>
          }
          text={
            <>
              {capital(user.role)}, added <TimeAgo at={user.created_at} />
            </>
          }
        />
      ),
    },
    { title: 'Signs in with', cell: ({ signs_in }: AppUser) => signInTexts[signs_in] },
    {
      title: 'Second factor',
      cell: ({ second_factor: isOn, signs_in: way }: AppUser) =>
        isOn ? 'On' : <span class="muted">{way === 'openid' ? 'At the provider' : 'Off'}</span>,
    },
    {
      title: 'Actions',
      align: 'end' as const,
      cell: (user: AppUser) => (
        <button type="button" class="quiet" aria-label={`Manage ${user.name}`} onClick={() => setDialog(user)}>
          Manage
        </button>
      ),
    },
  ];

  return (
    <SettingsPage
      title="Users"
      actions={
        <button type="button" class="primary" disabled={!may('admin')} onClick={() => setDialog('invite')}>
          Add a user
        </button>
      }>
      {link !== undefined && <LinkCard link={link} close={() => setLink(undefined)} />}
      <Waiting of={state.value} retry={reload} what="Loading the users" />
      {data !== undefined && data.users.length > 0 && (
        <div class="table-frame">
          <Table label="Users of the app" columns={columns} rows={data.users} keyOf={({ id }: AppUser) => id} />
        </div>
      )}
      {data?.users.length === 0 && (
        <Empty title="No user has a role in this app">
          <p>Your own role was removed a moment ago. Sign in again.</p>
        </Empty>
      )}
      {dialog === 'invite' && (
        <InviteDialog
          onClose={() => setDialog(undefined)}
          onDone={(user, made) => {
            setLink(made);
            return changed(`${user.name} is ${user.role} of this app.`, user);
          }}
        />
      )}
      {dialog !== undefined && dialog !== 'invite' && (
        <UserDialog user={dialog} onClose={() => setDialog(undefined)} onLink={setLink} onChanged={changed} />
      )}
    </SettingsPage>
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The link is shown once: the server keeps only its hash. */
function LinkCard({ link, close }: { link: Link; close: () => void }) {
  const address = new URL(`invite#${link.token}`, root).href;
  return (
    <section class="card" aria-label={`Link for ${link.name}`}>
      <h2>
        A link for <bdi>{link.name}</bdi>
      </h2>
      <div class="stack">
        <p>
          Send it to them, through a channel that only they read: the first person who opens it chooses the password. It
          works once, and is shown only now.
        </p>
        <pre class="code" tabindex={0}>
          {address}
        </pre>
        <div class="buttons">
          <CopyButton text={address} what="Copy the link" />
          <button type="button" class="quiet" onClick={close}>
            Done
          </button>
        </div>
      </div>
    </section>
  );
}
