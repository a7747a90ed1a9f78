import { useState } from 'preact/hooks';
import type { Role } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { useReply } from '../../kit/states.tsx';
import { SessionList } from '../account/session-list.tsx';
import type { AppUser, ConsoleSessionList, InvitedConsoleUser } from '../../replies.ts';

/** A one-time link with which a user chooses a password. */
export interface Link {
  name: string;
  token: string;
}

const roles = [
  { value: 'viewer', label: 'Viewer – looks at everything' },
  { value: 'sender', label: 'Sender – also sends and cancels' },
  { value: 'admin', label: 'Admin – also changes the app and its users' },
] as const;

/** @param props.onDone gets a link if the user needs one */
export function InviteDialog(props: {
  onClose: () => void;
  onDone: (user: AppUser, link: Link | undefined) => Promise<void>;
}) {
  const { onClose, onDone } = props;
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  return (
    <ActionDialog
      title="Add a user"
      label="Add"
      call={{ method: 'POST', path: '/v6/console-users', body: { user: { name: name.trim(), role } } }}
      isComplete={name.trim() !== ''}
      onDone={async ({ user, invite }: InvitedConsoleUser) =>
        onDone(user, invite === null ? undefined : { name: user.name, ...invite })
      }
      onClose={onClose}>
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        hint="To sign in with, such as an e-mail address. If someone with this name works on another app, they get the role and keep their password."
        required
        autofocus
      />
      <Select label="Role" value={role} options={roles} onChange={setRole} />
    </ActionDialog>
  );
}

/** Role, sessions, another link, and removal. */
export function UserDialog(props: {
  user: AppUser;
  onClose: () => void;
  onLink: (link: Link) => void;
  onChanged: (said: string, user: AppUser) => Promise<void>;
}) {
  const { user, onClose, onLink, onChanged } = props;
  const [role, setRole] = useState(user.role);
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
            onDone={async () => onChanged(`${user.name} is ${role} of this app.`, user)}
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
                  await onChanged(`There is a link for ${user.name}.`, user);
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
                onDone={async () => onChanged(`${user.name} has no second factor any more.`, user)}
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
              onDone={async () => onChanged(`${user.name} was removed.`, user)}
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
