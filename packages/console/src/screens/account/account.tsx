/** The reader's own account: sessions and password. */
import { useState } from 'preact/hooks';
import { call, faultAt } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import { session } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure, Waiting } from '../../kit/states.tsx';
import { SecondFactor } from './second-factor.tsx';
import { type OwnSession, SessionList } from './session-list.tsx';

export function Account() {
  const here = session.value;
  if (here === undefined || here === null) return null;
  const { user, apps } = here;
  return (
    <div class="stack">
      <h1>My account</h1>
      <section class="card" aria-labelledby="account-roles">
        <h2 id="account-roles">
          <bdi>{user.name}</bdi>
        </h2>
        <dl class="facts">
          {apps.map(({ bundle_id, name, role }) => (
            <>
              <dt key={bundle_id}>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                {role} <span class="muted">· {bundle_id}</span>
              </dd>
            </>
          ))}
        </dl>
        {apps.length === 0 && user.second_factor !== 'required' && (
          <p class="muted">You have no role in any app yet.</p>
        )}
      </section>
      <OwnSessions />
      {user.signs_in === 'openid' ? (
        <ByProvider />
      ) : (
        <>
          <SecondFactor isRequired={user.second_factor === 'required'} />
          <Password />
        </>
      )}
    </div>
  );
}

function OwnSessions() {
  const { state, reload } = useResource(
    async (signal) => call<{ sessions: OwnSession[] }>({ method: 'GET', path: '/console/sessions' }, signal),
    [],
  );
  const everywhere = useAction<undefined>({
    call: { method: 'DELETE', path: '/console/sessions' },
    onDone: () => {
      session.value = null;
      go('sign-in');
    },
  });
  const { data } = state.value;
  const endOf = (one: OwnSession): Content => one.is_current !== true && <EndButton session={one} onDone={reload} />;
  return (
    <section class="stack" aria-labelledby="account-sessions">
      <div class="screen-head">
        <h2 id="account-sessions">Where you are signed in</h2>
        <button type="button" class="danger" disabled={everywhere.isBusy} onClick={everywhere.run}>
          Sign out everywhere
        </button>
      </div>
      {everywhere.error !== undefined && <Failure error={everywhere.error} />}
      <Waiting of={state.value} retry={reload} />
      {data !== undefined && <SessionList sessions={data.sessions} endOf={data.sessions.length > 1 && endOf} />}
    </section>
  );
}

function EndButton({ session: one, onDone }: { session: OwnSession; onDone: () => void }) {
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'DELETE', path: `/console/sessions/${one.id}` },
    onDone: () => {
      announce('That browser is signed out.');
      onDone();
    },
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

function ByProvider() {
  return (
    <section class="card" aria-labelledby="account-provider">
      <h2 id="account-provider">Password</h2>
      <p>
        You sign in through your organisation’s OpenID provider, which also has your password. Sessions end after 12
        hours; your groups there decide what you may do here.
      </p>
    </section>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'PUT', path: '/console/password', body: { current_password: current, password: next } },
    onDone: () => {
      setCurrent('');
      setNext('');
      announce('The password is changed. All other browsers are signed out.');
    },
  });
  const currentFault = faultAt(error, 'current_password');
  const nextFault = faultAt(error, 'password');
  return (
    <section class="card" aria-labelledby="account-password">
      <h2 id="account-password">Password</h2>
      <Form onSubmit={run}>
        <TextField
          label="Current password"
          type="password"
          value={current}
          onInput={setCurrent}
          error={currentFault}
          autocomplete="current-password"
          required
        />
        <TextField
          label="New password"
          type="password"
          value={next}
          onInput={setNext}
          error={nextFault}
          hint="At least 12 characters: a few words are good. All other browsers are signed out."
          autocomplete="new-password"
          required
        />
        {error !== undefined && currentFault === undefined && nextFault === undefined && <Failure error={error} />}
        <div class="buttons">
          <button class="primary" disabled={isBusy} aria-busy={isBusy}>
            Change the password
          </button>
        </div>
      </Form>
    </section>
  );
}
