import { urlOf } from '../../frame/api.ts';
import { go, nextAddress, place } from '../../frame/router.ts';
import { Failure, useReply } from '../../kit/states.tsx';
import { Code } from '../../kit/copy.tsx';
import { SignInForm, SignInPage } from './page.tsx';

interface Options {
  has_users: boolean;
  /** The host of the OpenID provider. */
  openid: string | null;
}

/** The codes in the address after signing in through the provider has failed. */
const problems: Readonly<Record<string, string>> = {
  unreachable: 'The sign-in service of your organisation does not answer. Try again in a moment.',
  expired: 'This took more than ten minutes, or the browser keeps no cookies. Try again.',
  refused: 'The sign-in service of your organisation did not confirm who you are.',
  no_role: 'You are known, but none of your groups has a role here. Ask the operators of this server for one.',
  failed: 'Signing in did not work. The log of the server has the reason.',
};

export function SignIn() {
  const { data: options } = useReply<Options>({ method: 'GET', path: '/console/sign-in-options' });
  const provider = options?.openid ?? null;
  const problem = problems[place.value.query.get('problem') ?? ''];
  return (
    <SignInPage title="Sign in to Carillon">
      {problem !== undefined && <Failure error={new Error(problem)} />}
      <SignInForm
        label="Sign in"
        path="/console/session"
        fields={{
          name: { label: 'Name', type: 'name', autofocus: true },
          password: { label: 'Password', type: 'password' },
        }}
        onDone={() => go(nextAddress(), 'replace')}
      />
      {provider !== null && <Provider host={provider} />}
      {options?.has_users === false && provider === null && <FirstUser />}
    </SignInPage>
  );
}

function Provider({ host }: { host: string }) {
  const next = place.value.query.get('next');
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  return (
    <div class="stack close">
      <a class="button" href={urlOf(`/console/openid/sign-in${query}`)} target="_self">
        Sign in with {host}
      </a>
      <p class="muted">
        <a href={urlOf('/console/openid/sign-out')} target="_self">
          Sign out of {host}
        </a>{' '}
        as well, on a shared computer.
      </p>
    </div>
  );
}

function FirstUser() {
  return (
    <div>
      <p>There is no user yet. On the server, this makes the first one and prints a link to choose a password:</p>
      <Code text="carillon console add-user you@example.com" />
    </div>
  );
}
