/** The reader's own account: sessions and password. */
import { go } from '../../frame/router.ts';
import { Card, Facts } from '../../kit/card.tsx';
import { session } from '../../frame/session.ts';
import { ActionButton, ActionForm } from '../../kit/action.tsx';
import { useReply } from '../../kit/states.tsx';
import { SecondFactor } from './second-factor.tsx';
import { type OwnSession, SessionList } from './session-list.tsx';

export function Account() {
  const here = session.value;
  if (here === undefined || here === null) return null;
  const { user, apps } = here;
  return (
    <div class="stack">
      <h1>My account</h1>
      <Card title={<bdi>{user.name}</bdi>}>
        <Facts facts={apps.map(({ bundle_id: id, name, role }) => [<bdi>{name}</bdi>, `${role} · ${id}`])} />
        {apps.length === 0 && user.second_factor !== 'required' && (
          <p class="muted">You have no role in any app yet.</p>
        )}
      </Card>
      <OwnSessions />
      {user.signs_in !== 'openid' && <SecondFactor isRequired={user.second_factor === 'required'} />}
      <Card title="Password">
        {user.signs_in === 'openid' ? (
          <p>
            You sign in through your organisation’s OpenID provider, which also has your password. Sessions end after 12
            hours; your groups there decide what you may do here.
          </p>
        ) : (
          <ActionForm
            label="Change the password"
            call={(body) => ({ method: 'PUT', path: '/console/password', body })}
            fields={{
              current_password: { label: 'Current password', type: 'password' },
              password: {
                label: 'New password',
                type: 'new-password',
                hint: 'At least 12 characters: a few words are good. All other browsers are signed out.',
              },
            }}
            done="The password is changed. All other browsers are signed out."
          />
        )}
      </Card>
    </div>
  );
}

function OwnSessions() {
  const path = '/console/sessions';
  const read = useReply<{ sessions: OwnSession[] }>({ method: 'GET', path });
  return (
    <section class="stack" aria-labelledby="account-sessions">
      <div class="screen-head">
        <h2 id="account-sessions">Where you are signed in</h2>
        <ActionButton
          label="Sign out everywhere"
          kind="danger"
          call={{ method: 'DELETE', path }}
          onDone={() => {
            session.value = null;
            go('sign-in');
          }}
        />
      </div>
      <SessionList
        of={read}
        endOf={({ id, is_current: isCurrent }) =>
          isCurrent !== true && (
            <ActionButton
              label="Sign out"
              kind="quiet"
              call={{ method: 'DELETE', path: `${path}/${id}` }}
              done="That browser is signed out."
              onDone={read.reload}
            />
          )
        }
      />
    </section>
  );
}
