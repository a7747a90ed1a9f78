/** Whether a sign-in with the reader's password also needs a code, and turning that on and off. */
import { useState } from 'preact/hooks';
import { call, faultAt } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go, nextAddress, place } from '../../frame/router.ts';
import { loadSession } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure, Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { Enrol, RecoveryCodes } from './enrol.tsx';

interface Factor {
  /** ISO 8601. */
  since: string;
  recovery_codes_left: number;
}

const PATH = '/console/second-factor';

/** @param props.isRequired nothing else of the console is shown until there is one */
export function SecondFactor({ isRequired }: { isRequired: boolean }) {
  const { state, reload } = useResource(
    async (signal) => call<{ second_factor: Factor | null }>({ method: 'GET', path: PATH }, signal),
    [],
  );
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  const changed = async (): Promise<void> => {
    reload();
    await loadSession();
  };
  const { data } = state.value;
  return (
    <section class="card stack" aria-labelledby="account-second-factor">
      <h2 id="account-second-factor">Second factor</h2>
      <Waiting of={state.value} retry={reload} />
      {codes !== undefined && (
        <RecoveryCodes
          codes={codes}
          onKept={() => {
            setCodes(undefined);
            if (place.value.query.has('next')) go(nextAddress(), 'replace');
          }}
        />
      )}
      {codes === undefined && data?.second_factor === null && (
        <>
          <p>
            {isRequired
              ? 'This server shows its apps only to users with a second factor, so set one up first: then a stolen password alone signs nobody in.'
              : 'It is off. With it, a sign-in also asks for a code of an app on your phone: a stolen password alone signs nobody in.'}
          </p>
          <Enrol
            onCodes={async (made) => {
              setCodes(made);
              await changed();
            }}
          />
        </>
      )}
      {codes === undefined && data !== undefined && data.second_factor !== null && (
        <TurnedOn factor={data.second_factor} onRemoved={changed} />
      )}
    </section>
  );
}

function TurnedOn({ factor, onRemoved }: { factor: Factor; onRemoved: () => Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const left = factor.recovery_codes_left;
  return (
    <>
      <p>
        It was turned on <TimeAgo at={factor.since} />.{' '}
        {left === 1 ? 'One recovery code is left.' : `${left === 0 ? 'No' : left} recovery codes are left.`}
      </p>
      <p class="muted">For another phone or for new recovery codes, turn it off and on again.</p>
      <div class="buttons">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Turn it off
        </button>
      </div>
      {isOpen && <TurnOff onClose={() => setOpen(false)} onRemoved={onRemoved} />}
    </>
  );
}

function TurnOff({ onClose, onRemoved }: { onClose: () => void; onRemoved: () => Promise<void> }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'DELETE', path: PATH, body: { password, code } },
    onDone: async () => {
      announce('The second factor is off.');
      onClose();
      await onRemoved();
    },
  });
  const passwordFault = faultAt(error, 'password');
  const codeFault = faultAt(error, 'code');
  return (
    <Dialog title="Turn the second factor off?" onClose={onClose}>
      <Form onSubmit={run}>
        <TextField
          label="Your password"
          type="password"
          value={password}
          onInput={setPassword}
          error={passwordFault}
          autocomplete="current-password"
          required
          autofocus
        />
        <TextField
          label="Code"
          value={code}
          onInput={setCode}
          error={codeFault}
          hint="The six digits of your authenticator app, or one of your recovery codes."
          autocomplete="one-time-code"
          code
          required
        />
        {error !== undefined && passwordFault === undefined && codeFault === undefined && <Failure error={error} />}
        <footer>
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button class="danger" disabled={isBusy} aria-busy={isBusy}>
            Turn it off
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
