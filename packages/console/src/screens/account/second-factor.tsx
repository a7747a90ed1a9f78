/** Whether a sign-in with the reader's password also needs a code, and turning that on and off. */
import { useEffect, useState } from 'preact/hooks';
import { go, nextAddress, place } from '../../frame/router.ts';
import { Card } from '../../kit/card.tsx';
import { loadSession } from '../../frame/session.ts';
import { ActionDialog, ActionForm, saveAs } from '../../kit/action.tsx';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { DialogButton } from '../../kit/dialog.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';

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
  const left = factor.recovery_codes_left;
  return (
    <>
      <p>
        It was turned on <TimeAgo at={factor.since} />.{' '}
        {left === 1 ? 'One recovery code is left.' : `${left === 0 ? 'No' : left} recovery codes are left.`}
      </p>
      <p class="muted">For another phone or for new recovery codes, turn it off and on again.</p>
      <div class="buttons">
        <DialogButton
          label="Turn it off"
          kind="danger"
          dialog={(close) => <TurnOff onClose={close} onRemoved={onRemoved} />}
        />
      </div>
    </>
  );
}

function TurnOff({ onClose, onRemoved }: { onClose: () => void; onRemoved: () => Promise<void> }) {
  return (
    <ActionDialog
      title="Turn the second factor off?"
      label="Turn it off"
      kind="danger"
      call={(body) => ({ method: 'DELETE', path: PATH, body })}
      fields={{
        password: { label: 'Your password', type: 'password', autofocus: true },
        code: {
          label: 'Code',
          type: 'code',
          hint: 'The six digits of your authenticator app, or one of your recovery codes.',
          code: true,
        },
      }}
      done="The second factor is off."
      onDone={onRemoved}
      onClose={onClose}
    />
  );
}

interface Enrolled {
  /** Base32. */
  secret: string;
  /** `otpauth://…`, for the QR code. */
  address: string;
}

/** The password, then the code of an app. @param props.onCodes called once the second factor is on, with the recovery codes */
function Enrol({ onCodes }: { onCodes: (codes: readonly string[]) => Promise<void> }) {
  const [enrolled, setEnrolled] = useState<Enrolled | undefined>(undefined);
  if (enrolled === undefined) {
    return (
      <ActionForm
        name="Set up a second factor"
        label="Set it up"
        call={(body) => ({ method: 'POST', path: PATH, body })}
        fields={{ password: { label: 'Your password', type: 'password' } }}
        onDone={setEnrolled}
      />
    );
  }
  const { secret, address } = enrolled;
  return (
    <div class="in-line account-enrol">
      <QrCode text={address} />
      <div class="stack">
        <p>Scan this with an authenticator app on your phone, or type the secret into it:</p>
        <Code label="Secret" text={secret.replaceAll(/.{4}(?=.)/g, '$& ')} />
        <div class="buttons">
          <CopyButton text={secret} what="Copy the secret" />
        </div>
        <ActionForm
          name="Enter a code"
          label="Turn it on"
          call={(body) => ({ method: 'PUT', path: PATH, body })}
          fields={{
            code: { label: 'Code', type: 'digits', hint: 'The six digits that the app shows now.', code: true },
          }}
          done="The second factor is on. All other browsers are signed out."
          onDone={async ({ recovery_codes: codes }: { recovery_codes: readonly string[] }) => onCodes(codes)}
        />
      </div>
    </div>
  );
}

/** A QR code, drawn here: the address in it is a secret. */
function QrCode({ text }: { text: string }) {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([]);
  useEffect(() => {
    let isShown = true;
    // Most visits of the account need no QR code.
    const draw = async (): Promise<void> => {
      const { encode } = await import('uqr');
      if (isShown) setRows(encode(text, { ecc: 'M', border: 4 }).data);
    };
    // Without it, the secret next to it can be typed.
    draw().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [text]);
  // Dark on light in both themes: some apps read nothing else.
  return (
    <svg
      class="account-qr"
      viewBox={`0 0 ${rows.length || 1} ${rows.length || 1}`}
      role="img"
      aria-label="QR code for an authenticator app"
      shape-rendering="crispEdges">
      <rect width="100%" height="100%" fill="white" />
      <path d={pathOf(rows)} fill="black" />
    </svg>
  );
}

/** @returns a square for each dark module */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
}

/** The server keeps only their hashes. */
function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <div class="stack">
      <p>
        The second factor is on. If your phone is lost, each of these codes signs you in once. They are shown only now:
        keep them where you would find them without the phone.
      </p>
      <Code label="Recovery codes" text={text} />
      <div class="buttons">
        <CopyButton text={text} what="Copy the codes" />
        <button
          type="button"
          class="quiet"
          onClick={() => saveAs(new Blob([text], { type: 'text/plain' }), 'carillon-recovery-codes.txt')}>
          Download the codes
        </button>
        <button type="button" class="primary" onClick={onKept}>
          I have kept them
        </button>
      </div>
    </div>
  );
}
