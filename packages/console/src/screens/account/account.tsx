/** The reader's own account: sessions and password. */
import { useState } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import { Card, Facts } from '../../kit/card.tsx';
import { session } from '../../frame/session.ts';
import { ActionForm, useAction } from '../../kit/action.tsx';
import { TextField } from '../../kit/form.tsx';
import { Failure, useReply } from '../../kit/states.tsx';
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
          <Password />
        )}
      </Card>
    </div>
  );
}

function OwnSessions() {
  const read = useReply<{ sessions: OwnSession[] }>({ method: 'GET', path: '/console/sessions' });
  const everywhere = useAction<undefined>({
    call: { method: 'DELETE', path: '/console/sessions' },
    onDone: () => {
      session.value = null;
      go('sign-in');
    },
  });
  return (
    <section class="stack" aria-labelledby="account-sessions">
      <div class="screen-head">
        <h2 id="account-sessions">Where you are signed in</h2>
        <button type="button" class="danger" disabled={everywhere.isBusy} onClick={everywhere.run}>
          Sign out everywhere
        </button>
      </div>
      {everywhere.error !== undefined && <Failure error={everywhere.error} />}
      <SessionList
        of={read}
        endOf={({ id, is_current: isCurrent }) => isCurrent !== true && <EndButton id={id} onDone={read.reload} />}
      />
    </section>
  );
}

function EndButton({ id, onDone }: { id: string; onDone: () => void }) {
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'DELETE', path: `/console/sessions/${id}` },
    done: 'That browser is signed out.',
    onDone,
  });
  return (
    <>
      <button type="button" class="quiet" disabled={isBusy} onClick={run}>
        Sign out
      </button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  return (
    <ActionForm
      label="Change the password"
      call={{ method: 'PUT', path: '/console/password', body: { current_password: current, password: next } }}
      done="The password is changed. All other browsers are signed out."
      onDone={() => {
        setCurrent('');
        setNext('');
      }}>
      {(faultOf) => (
        <>
          <TextField
            label="Current password"
            type="password"
            value={current}
            onInput={setCurrent}
            error={faultOf('current_password')}
            autocomplete="current-password"
            required
          />
          <TextField
            label="New password"
            type="password"
            value={next}
            onInput={setNext}
            error={faultOf('password')}
            hint="At least 12 characters: a few words are good. All other browsers are signed out."
            autocomplete="new-password"
            required
          />
        </>
      )}
    </ActionForm>
  );
}
