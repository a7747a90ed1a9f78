/** Whether a sign-in with the reader's password also needs a code, and turning that on and off. */
import { useState } from 'preact/hooks';
import { go, nextAddress, place } from '../../frame/router.ts';
import { Card } from '../../kit/card.tsx';
import { loadSession } from '../../frame/session.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { TextField } from '../../kit/form.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
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
  const read = useReply<{ second_factor: Factor | null }>({ method: 'GET', path: PATH });
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  const changed = async (): Promise<void> => {
    read.reload();
    await loadSession();
  };
  const factor = read.data?.second_factor;
  return (
    <Card title="Second factor">
      <Waiting of={read} />
      {codes !== undefined && (
        <RecoveryCodes
          codes={codes}
          onKept={() => {
            setCodes(undefined);
            if (place.value.query.has('next')) go(nextAddress(), 'replace');
          }}
        />
      )}
      {codes === undefined && factor === null && (
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
      {codes === undefined && factor && <TurnedOn factor={factor} onRemoved={changed} />}
    </Card>
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
  return (
    <ActionDialog
      title="Turn the second factor off?"
      label="Turn it off"
      kind="danger"
      call={{ method: 'DELETE', path: PATH, body: { password, code } }}
      done="The second factor is off."
      onDone={async () => {
        onClose();
        await onRemoved();
      }}
      onClose={onClose}>
      {(faultOf) => (
        <>
          <TextField
            label="Your password"
            type="password"
            value={password}
            onInput={setPassword}
            error={faultOf('password')}
            autocomplete="current-password"
            required
            autofocus
          />
          <TextField
            label="Code"
            value={code}
            onInput={setCode}
            error={faultOf('code')}
            hint="The six digits of your authenticator app, or one of your recovery codes."
            autocomplete="one-time-code"
            code
            required
          />
        </>
      )}
    </ActionDialog>
  );
}
