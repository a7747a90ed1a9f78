/** The users of the app: their names, their roles, and how they sign in. */
import { useState } from 'preact/hooks';
import { announce } from '../../frame/notices.tsx';
import { root } from '../../frame/router.ts';
import { loadSession, may, session } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { AppUser } from '../../replies.ts';
import { AdminsOnly, SettingsPage } from './page.tsx';
import { InviteDialog, type Link, UserDialog } from './user-dialogs.tsx';

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
  const [dialog, setDialog] = useState<'invite' | AppUser | undefined>(undefined);
  const [link, setLink] = useState<Link | undefined>(undefined);
  const own = session.value?.user.id;
  const close = (): void => setDialog(undefined);
  const changed = async (said: string, user: { id: string }): Promise<void> => {
    close();
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
        <button type="button" class="quiet" aria-label={`Manage ${user.name}`} onClick={() => setDialog(user)}>
          Manage
        </button>
      ),
    },
  ];
  return (
    <SettingsPage title="Users" action={{ label: 'Add a user', onClick: () => setDialog('invite') }}>
      {link !== undefined && <LinkCard link={link} close={() => setLink(undefined)} />}
      <List of={users} label="Users of the app" columns={columns} rows={users.data?.users}>
        <Empty title="No user has a role in this app">
          <p>Your own role was removed a moment ago. Sign in again.</p>
        </Empty>
      </List>
      {dialog === 'invite' && (
        <InviteDialog
          onClose={close}
          onDone={(user, made) => {
            setLink(made);
            return changed(`${user.name} is ${user.role} of this app.`, user);
          }}
        />
      )}
      {dialog !== undefined && dialog !== 'invite' && (
        <UserDialog user={dialog} onClose={close} onLink={setLink} onChanged={changed} />
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
