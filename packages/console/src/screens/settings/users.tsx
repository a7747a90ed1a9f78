/** The users of the app: their names, their roles, and how they sign in. */
import { useState } from 'preact/hooks';
import { announce } from '../../frame/notices.tsx';
import { root } from '../../frame/router.ts';
import { loadSession, may, type Role, session } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { Dialog, DialogButton } from '../../kit/dialog.tsx';
import { Select } from '../../kit/form.tsx';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { AppUser, ConsoleSessionList, InvitedConsoleUser } from '../../replies.ts';
import { SessionList } from '../account/session-list.tsx';
import { AdminsOnly, SettingsPage } from './page.tsx';

/** A one-time link with which a user chooses a password. */
interface Link {
  name: string;
  token: string;
}

const roles = [
  { value: 'viewer', label: 'Viewer – looks at everything' },
  { value: 'sender', label: 'Sender – also sends and cancels' },
  { value: 'admin', label: 'Admin – also changes the app and its users' },
] as const;

const signInTexts: Readonly<Record<AppUser['signs_in'], Content>> = {
  password: 'Password',
  openid: 'OpenID',
  not_yet: <Badge tone="warn">Invited</Badge>,
};

export function Users() {
  return may('admin') ? <UserList /> : <AdminsOnly title="Users" what="see its users" />;
}

function UserList() {
  const users = useReply<{ users: AppUser[] }>({ method: 'GET', path: '/v6/console-users' });
  const [managed, setManaged] = useState<AppUser | undefined>(undefined);
  const [link, setLink] = useState<Link | undefined>(undefined);
  const own = session.value?.user.id;
  const changed = async (said: string, user: { id: string }): Promise<void> => {
    announce(said);
    users.reload();
    if (user.id === own) await loadSession();
  };
  const columns: readonly Column<AppUser>[] = [
    {
      title: 'Name',
      cell: ({ id, name, role, created_at: at }) => (
        <TwoLines
          name={id === own ? `${name} (you)` : name}
          text={[`${role.charAt(0).toUpperCase()}${role.slice(1)}, added `, <TimeAgo at={at} />]}
        />
      ),
    },
    { title: 'Signs in with', cell: ({ signs_in: way }) => signInTexts[way] },
    {
      title: 'Second factor',
      cell: ({ second_factor: isOn, signs_in: way }) =>
        isOn ? 'On' : <span class="muted">{way === 'openid' ? 'At the provider' : 'Off'}</span>,
    },
    {
      title: 'Actions',
      align: 'end',
      cell: (user) => (
        <button type="button" class="quiet" aria-label={`Manage ${user.name}`} onClick={() => setManaged(user)}>
          Manage
        </button>
      ),
    },
  ];
  return (
    <SettingsPage
      title="Users"
      actions={
        <DialogButton
          label="Add a user"
          kind="primary"
          needs="admin"
          dialog={(close) => (
            <InviteDialog
              onClose={close}
              onDone={async (user, made) => {
                setLink(made);
                await changed(`${user.name} is ${user.role} of this app.`, user);
              }}
            />
          )}
        />
      }>
      {link !== undefined && <LinkCard link={link} close={() => setLink(undefined)} />}
      <List of={users} label="Users of the app" columns={columns} rows={users.data?.users}>
        <Empty title="No user has a role in this app">
          <p>Your own role was removed a moment ago. Sign in again.</p>
        </Empty>
      </List>
      {managed !== undefined && (
        <UserDialog user={managed} onClose={() => setManaged(undefined)} onLink={setLink} onChanged={changed} />
      )}
    </SettingsPage>
  );
}

/** The link is shown once: the server keeps only its hash. */
function LinkCard({ link, close }: { link: Link; close: () => void }) {
  const address = new URL(`invite#${link.token}`, root).href;
  return (
    <section class="card stack" aria-label={`Link for ${link.name}`}>
      <h2>
        A link for <bdi>{link.name}</bdi>
      </h2>
      <p>
        Send it to them, through a channel that only they read: the first person who opens it chooses the password. It
        works once, and is shown only now.
      </p>
      <Code text={address} />
      <div class="buttons">
        <CopyButton text={address} what="Copy the link" />
        <button type="button" class="quiet" onClick={close}>
          Done
        </button>
      </div>
    </section>
  );
}

/** @param props.onDone gets a link if the user needs one */
function InviteDialog(props: {
  onClose: () => void;
  onDone: (user: AppUser, link: Link | undefined) => Promise<void>;
}) {
  const { onClose, onDone } = props;
  const [role, setRole] = useState<Role>('viewer');
  return (
    <ActionDialog
      title="Add a user"
      label="Add"
      fields={{
        name: {
          label: 'Name',
          hint: 'To sign in with, such as an e-mail address. If someone with this name works on another app, they get the role and keep their password.',
          autofocus: true,
        },
      }}
      call={({ name }) => ({ method: 'POST', path: '/v6/console-users', body: { user: { name, role } } })}
      onDone={async ({ user, invite }: InvitedConsoleUser) =>
        onDone(user, invite === null ? undefined : { name: user.name, ...invite })
      }
      onClose={onClose}>
      <Select label="Role" value={role} options={roles} onChange={setRole} />
    </ActionDialog>
  );
}

/** Role, sessions, another link, and removal. */
function UserDialog(props: {
  user: AppUser;
  onClose: () => void;
  onLink: (link: Link) => void;
  onChanged: (said: string, user: AppUser) => Promise<void>;
}) {
  const { user, onClose, onLink, onChanged } = props;
  const [role, setRole] = useState(user.role);
  const changed = async (said: string): Promise<void> => {
    onClose();
    await onChanged(said, user);
  };
  const path = `/v6/console-users/${user.id}`;
  return (
    <Dialog title={user.name} onClose={onClose} wide>
      <div class="stack">
        <div class="toolbar">
          <Select label="Role" value={role} options={roles} onChange={setRole} />
          <ActionButton
            label="Save the role"
            needs="admin"
            call={{ method: 'PUT', path, body: { user: { role } } }}
            disabled={role === user.role ? 'The user already has this role.' : undefined}
            onDone={async () => changed(`${user.name} is ${role} of this app.`)}
          />
        </div>
        <Sessions path={`${path}/sessions`} name={user.name} />
        <section class="stack" aria-label="Access">
          <h3>Access</h3>
          <div class="buttons">
            {user.signs_in !== 'openid' && (
              <ActionButton
                label="Make a link for a new password"
                needs="admin"
                call={{ method: 'POST', path: `${path}/invite` }}
                onDone={async ({ invite }: { invite: { token: string } }) => {
                  onLink({ name: user.name, ...invite });
                  await changed(`There is a link for ${user.name}.`);
                }}
              />
            )}
            {user.second_factor && (
              <ActionButton
                label="Remove the second factor"
                needs="admin"
                call={{ method: 'DELETE', path: `${path}/second-factor` }}
                confirm={{
                  title: `Remove the second factor of ${user.name}?`,
                  text: 'For a lost phone: the password alone signs in again, so make sure that it is they who ask.',
                }}
                onDone={async () => changed(`${user.name} has no second factor any more.`)}
              />
            )}
            <ActionButton
              label="Remove from this app"
              needs="admin"
              kind="danger"
              call={{ method: 'DELETE', path }}
              confirm={{
                title: `Remove ${user.name}?`,
                text: 'The user loses the role in this app within two seconds. Somebody without a role in any app is removed altogether.',
              }}
              onDone={async () => changed(`${user.name} was removed.`)}
            />
          </div>
        </section>
      </div>
    </Dialog>
  );
}

function Sessions({ path, name }: { path: string; name: string }) {
  const read = useReply<ConsoleSessionList>({ method: 'GET', path });
  return (
    <section class="stack" aria-label="Sessions">
      <h3>Signed in</h3>
      <SessionList of={read}>
        <p class="muted">In no browser.</p>
      </SessionList>
      {read.data !== undefined && read.data.sessions.length > 0 && (
        <ActionButton
          label="Sign out everywhere"
          needs="admin"
          call={{ method: 'DELETE', path }}
          confirm={{ title: `Sign ${name} out everywhere?`, text: 'Their sessions end within two seconds.' }}
          onDone={read.reload}
        />
      )}
    </section>
  );
}
