/** A one-time link, `/console/invite#<token>`: browsers do not send a fragment, and it is removed from the address and history at once. */
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
        {(step.kind === 'password' || step.kind === 'confirmed') && <Enter token={token} {...step} />}
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

/**
 * Chooses a password, or asks first: people who open a link that somebody else sent them must see whose account it leads to.
 */
function Enter({ token, kind, user }: { token: string; kind: 'password' | 'confirmed'; user: string | undefined }) {
  const [password, setPassword] = useState('');
  const isNew = kind === 'password';
  const { run, isBusy, error, codeField } = useSignIn({
    path: PATH,
    body: { token, ...(isNew ? { password } : { confirmed: true }) },
    onDone: () => go('.', 'replace'),
  });
  const name = user !== undefined && [isNew ? ' for ' : ' as ', <bdi>{user}</bdi>];
  return (
    <Form onSubmit={run}>
      {isNew ? (
        <>
          <p>Choose a password{name}. You sign in with it from then on.</p>
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
        </>
      ) : (
        <p>This link signs you in{name}, once. Go on only if it was made for you.</p>
      )}
      {codeField}
      {error !== undefined && <Failure error={error} />}
      <button class="primary" disabled={isBusy} aria-busy={isBusy}>
        {isNew ? 'Set the password and sign in' : `Continue${user === undefined ? '' : ` as ${user}`}`}
      </button>
    </Form>
  );
}
