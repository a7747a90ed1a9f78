/**
 * Buttons with one call of the API and its curl: to change something, after a question if it cannot be undone, or to
 * save a reply.
 */
import { useState } from 'preact/hooks';
import { type ApiCall, call as send, open } from '../frame/api.ts';
import { announce } from '../frame/notices.tsx';
import { may, type Role } from '../frame/session.ts';
import { Curl } from './developer/curl.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import type { Content } from './content.ts';
import { Failure } from './states.tsx';

interface Confirmation {
  title: string;
  text: Content;
  /** The text that the reader must type to confirm, such as the number of devices. Undefined: a click is enough. */
  typed?: string;
}

interface ActionProps<Reply> {
  label: string;
  call: ApiCall;
  /** Called after the server has accepted the call. */
  onDone: (reply: Reply) => void | Promise<void>;
  /** The role that the call needs. */
  needs: Role;
  kind?: 'primary' | 'danger';
  confirm?: Confirmation;
  /** Why it cannot be done now; shown on the button, which is greyed out. */
  disabled?: string | undefined;
}

export function ActionButton<Reply>(props: ActionProps<Reply>) {
  const { label, call, kind, confirm, needs } = props;
  const [isAsking, setAsking] = useState(false);
  const { run, isBusy, error } = useAction(props);
  const why = may(needs) ? props.disabled : `Your role in this app does not allow this: it needs the role ${needs}.`;
  return (
    <span class="action">
      <button
        type="button"
        class={kind ?? ''}
        disabled={isBusy || why !== undefined}
        title={why}
        aria-busy={isBusy}
        onClick={confirm === undefined ? run : () => setAsking(true)}>
        {label}
      </button>
      <Curl call={call} />
      {confirm === undefined && error !== undefined && <Failure error={error} />}
      {isAsking && confirm !== undefined && (
        <Question
          {...confirm}
          label={label}
          kind={kind}
          isBusy={isBusy}
          error={error}
          onYes={async () => ((await run()) ? setAsking(false) : undefined)}
          onClose={() => setAsking(false)}
        />
      )}
    </span>
  );
}

/** Sends a call and keeps its state: for forms that have a submit button of their own. */
export function useAction<Reply>({ call, onDone }: Pick<ActionProps<Reply>, 'call' | 'onDone'>): {
  /** @returns whether the server has accepted the call */
  run: () => Promise<boolean>;
  isBusy: boolean;
  error: unknown;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const run = async (): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await onDone(await send<Reply>(call));
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, error };
}

/** A form in a dialog that sends one call; its fields are the children. */
export function ActionDialog<Reply>(
  props: Pick<ActionProps<Reply>, 'label' | 'call' | 'onDone'> & {
    title: string;
    /** The label until the call is answered, if that may take seconds. */
    busyLabel?: string;
    /** The call to show as curl, if the real call has a secret. */
    shown?: ApiCall;
    isComplete: boolean;
    onClose: () => void;
    children?: Content;
  },
) {
  const { title, label, busyLabel = label, call, shown = call, isComplete, onClose, children } = props;
  const { run, isBusy, error } = useAction(props);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={run}>
        {children} {error !== undefined && <Failure error={error} />}
        <footer>
          <Curl call={shown} />
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button class="primary" disabled={isBusy || !isComplete} aria-busy={isBusy}>
            {isBusy ? busyLabel : label}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Question(
  props: Confirmation & {
    label: string;
    kind: string | undefined;
    isBusy: boolean;
    error: unknown;
    onYes: () => Promise<void>;
    onClose: () => void;
  },
) {
  const { title, text, typed, label, kind, isBusy, error, onYes, onClose } = props;
  const [written, setWritten] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          await onYes();
        }}>
        <div class="dialog-text">{text}</div>
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <code>{typed}</code> to confirm
            </span>
            <input
              value={written}
              autocomplete="off"
              onInput={({ currentTarget }) => setWritten(currentTarget.value)}
            />
          </label>
        )}
        {error !== undefined && <Failure error={error} />}
        <footer>
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button class={kind ?? 'primary'} disabled={isBusy || (typed !== undefined && written !== typed)}>
            {label}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/**
 * Saves the reply to a call as a file. A link would not work, because the call needs a header. The browser keeps a
 * large reply on disk while it arrives, not in memory.
 */
export function DownloadButton(props: { label: string; fileName: string; call: ApiCall }) {
  const { label, fileName, call } = props;
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const response = await open(call);
      saveAs(await response.blob(), fileName);
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error), { isBad: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="action">
      <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={save}>
        {isBusy ? 'Exporting …' : label}
      </button>
      <Curl call={call} />
    </span>
  );
}

/** Saves a file as a download of the browser. */
export function saveAs(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
