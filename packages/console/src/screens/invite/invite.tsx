/**
 * A one-time link: `/console/invite#<token>`. The token is in the fragment, which browsers do not send. It is removed
 * from the address at once, so that it is not in the history either.
 */
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, call } from '../../frame/api.ts';
import { go } from '../../frame/router.ts';
import { loadSession } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure, Loading } from '../../kit/states.tsx';

type Step = { kind: 'asking' } | { kind: 'password'; say: string } | { kind: 'refused'; error: unknown };

const PATH = '/console/session/invite';

async function enter(): Promise<void> {
  await loadSession();
  go('.', 'replace');
}

export function Invite(): Content {
  const [token] = useState(() => location.hash.slice(1));
  const [step, setStep] = useState<Step>({ kind: 'asking' });
  useEffect(() => {
    history.replaceState(null, '', location.pathname);
    // The server says whether this link signs in at once or needs a password. Without a password, the call uses up only
    // a link that signs in at once.
    const use = async (): Promise<void> => {
      try {
        await call({ method: 'POST', path: PATH, body: { token } });
        await enter();
      } catch (error) {
        setStep(nextStep(error));
      }
    };
    void use();
  }, [token]);
  return (
    <div class="alone">
      <div class="card sign-in">
        <h1>Welcome to Carillon</h1>
        {step.kind === 'asking' && <Loading what="Signing in" />}
        {step.kind === 'refused' && (
          <>
            <Failure error={step.error} />
            <a href="sign-in">To the sign-in</a>
          </>
        )}
        {step.kind === 'password' && <ChoosePassword token={token} say={step.say} />}
      </div>
    </div>
  );
}

function nextStep(error: unknown): Step {
  const missing = error instanceof ApiFailure ? error.details.find(({ path }) => path === 'password') : undefined;
  return missing === undefined ? { kind: 'refused', error } : { kind: 'password', say: missing.message };
}

function ChoosePassword({ token, say }: { token: string; say: string }): Content {
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'POST', path: PATH, body: { token, password } },
    onDone: enter,
  });
  const user = /choose one for (.*)$/s.exec(say)?.[1];
  return (
    <Form onSubmit={run}>
      <p>
        Choose a password
        {user !== undefined && (
          <>
            {' '}
            for <strong>{user}</strong>
          </>
        )}
        . You sign in with it from then on.
      </p>
      <TextField
        label="Password"
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="new-password"
        hint="At least 12 characters: a few words are good."
        required
        autofocus
      />
      {error !== undefined && <Failure error={error} />}
      <button class="primary" disabled={isBusy} aria-busy={isBusy}>
        Set the password and sign in
      </button>
    </Form>
  );
}
