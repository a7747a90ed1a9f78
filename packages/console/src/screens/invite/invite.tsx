/** A one-time link, `/console/invite#<token>`: browsers do not send a fragment, and it is removed from the address and history at once. */
import { useEffect, useState } from 'preact/hooks';
import { call, faultAt } from '../../frame/api.ts';
import { go } from '../../frame/router.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { SignInForm, SignInPage } from '../sign-in/page.tsx';

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
    <SignInPage title="Welcome to Carillon">
      {step.kind === 'reading' && <Loading what="Reading the link" />}
      {step.kind === 'refused' && (
        <>
          <Failure error={step.error} />
          <a href="sign-in">To the sign-in</a>
        </>
      )}
      {(step.kind === 'password' || step.kind === 'confirmed') && <Enter token={token} {...step} />}
    </SignInPage>
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
  const isNew = kind === 'password';
  const name = user !== undefined && [isNew ? ' for ' : ' as ', <bdi>{user}</bdi>];
  const password = {
    label: 'Password',
    type: 'new-password',
    hint: 'At least 12 characters: a few words are good.',
    autofocus: true,
  } as const;
  return (
    <>
      {isNew ? (
        <p>Choose a password{name}. You sign in with it from then on.</p>
      ) : (
        <p>This link signs you in{name}, once. Go on only if it was made for you.</p>
      )}
      <SignInForm
        label={isNew ? 'Set the password and sign in' : `Continue${user === undefined ? '' : ` as ${user}`}`}
        path={PATH}
        body={{ token, ...(!isNew && { confirmed: true }) }}
        fields={{ ...(isNew && { password }) }}
        onDone={() => go('.', 'replace')}
      />
    </>
  );
}
