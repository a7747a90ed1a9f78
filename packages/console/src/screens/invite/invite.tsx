/**
 * A one-time link: `/console/invite#<token>`. The token is in the fragment, which browsers do not send. It is removed
 * from the address at once, so that it is not in the history either.
 */
import { useEffect, useState } from 'preact/hooks';
import { call, faultAt } from '../../frame/api.ts';
import { go } from '../../frame/router.ts';
import { Form, TextField } from '../../kit/form.tsx';
import { Failure, Loading } from '../../kit/states.tsx';
import { Brand } from '../sign-in/brand.tsx';
import { useSignIn } from '../sign-in/use-sign-in.tsx';

type Step =
  | { kind: 'reading' }
  | { kind: 'password' | 'confirmed'; user: string | undefined }
  | { kind: 'refused'; error: unknown };

const PATH = '/console/session/invite';

export function Invite() {
  const [token] = useState(() => location.hash.slice(1));
  const [step, setStep] = useState<Step>({ kind: 'reading' });
  useEffect(() => {
    history.replaceState(null, '', location.pathname);
    // The server says what the link needs: a new password, or a question. The token alone never uses it up.
    const read = async (): Promise<void> => {
      try {
        await call({ method: 'POST', path: PATH, body: { token } });
      } catch (error) {
        setStep(nextStep(error));
      }
    };
    void read();
  }, [token]);
  return (
    <div class="alone">
      <div class="card stack sign-in">
        <Brand title="Welcome to Carillon" />
        {step.kind === 'reading' && <Loading what="Reading the link" />}
        {step.kind === 'refused' && (
          <>
            <Failure error={step.error} />
            <a href="sign-in">To the sign-in</a>
          </>
        )}
        {step.kind === 'password' && <ChoosePassword token={token} user={step.user} />}
        {step.kind === 'confirmed' && <Continue token={token} user={step.user} />}
      </div>
    </div>
  );
}

function nextStep(error: unknown): Step {
  const password = faultAt(error, 'password');
  if (password !== undefined) return { kind: 'password', user: /choose one for (.*)$/s.exec(password)?.[1] };
  const confirmed = faultAt(error, 'confirmed');
  if (confirmed !== undefined) return { kind: 'confirmed', user: /continue as (.*)$/s.exec(confirmed)?.[1] };
  return { kind: 'refused', error };
}

interface LinkOf {
  token: string;
  user: string | undefined;
}

function enter(): void {
  go('.', 'replace');
}

/** Asks first: people who open a link that somebody else sent them must see whose account it leads to. */
function Continue({ token, user }: LinkOf) {
  const { run, isBusy, error, codeField } = useSignIn({
    path: PATH,
    body: { token, confirmed: true },
    onDone: enter,
  });
  return (
    <Form onSubmit={run}>
      <p>
        This link signs you in
        {user !== undefined && (
          <>
            {' '}
            as{' '}
            <strong>
              <bdi>{user}</bdi>
            </strong>
          </>
        )}
        , once. Go on only if it was made for you.
      </p>
      {codeField}
      {error !== undefined && <Failure error={error} />}
      <button class="primary" disabled={isBusy} aria-busy={isBusy}>
        {user === undefined ? 'Continue' : `Continue as ${user}`}
      </button>
    </Form>
  );
}

function ChoosePassword({ token, user }: LinkOf) {
  const [password, setPassword] = useState('');
  const { run, isBusy, error, codeField } = useSignIn({ path: PATH, body: { token, password }, onDone: enter });
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
      {codeField}
      {error !== undefined && <Failure error={error} />}
      <button class="primary" disabled={isBusy} aria-busy={isBusy}>
        Set the password and sign in
      </button>
    </Form>
  );
}
