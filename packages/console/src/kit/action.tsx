/** Buttons and forms with one call of the API and its curl: to change something, perhaps after a question, or to save a reply. */
import { useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call as send, open } from '../frame/api.ts';
import { announce } from '../frame/notices.tsx';
import { may, type Role } from '../frame/session.ts';
import type { Content } from './content.ts';
import { Curl } from './developer/curl.tsx';
import { Dialog } from './dialog.tsx';
import { Form, TextField } from './form.tsx';
import { Failure } from './states.tsx';

interface Action<Reply> {
  call: ApiCall;
  /** What is said after the server has accepted the call: "The key is revoked." */
  done?: string;
  /** Called after the server has accepted the call. */
  onDone?: (reply: Reply) => void | Promise<void>;
  /** @returns whether the refusal is dealt with, and not to be shown */
  onRefused?: (refusal: unknown) => boolean | Promise<boolean>;
}

interface Confirmation {
  title: string;
  text: Content;
  /** The text that the reader must type to confirm, such as the number of devices. Undefined: a click is enough. */
  typed?: string;
  /** Of the button that confirms, if it is not that of the one that asks. */
  label?: string;
  /** Whether the fields in `text` are filled in. */
  isComplete?: boolean;
}

/** @param props.disabled why it cannot be done now; shown on the button, which is greyed out */
export function ActionButton<Reply>(
  props: Action<Reply> & {
    label: string;
    needs?: Role;
    kind?: 'primary' | 'danger' | 'quiet';
    confirm?: Confirmation;
    disabled?: string | undefined;
  },
) {
  const { label, call, kind, confirm, needs } = props;
  /** What the reader has typed to confirm; undefined while nothing is asked. */
  const [written, setWritten] = useState<string | undefined>(undefined);
  const { run, isBusy, error } = useAction(props);
  const isAllowed = needs === undefined || may(needs);
  const why = isAllowed ? props.disabled : `Your role in this app does not allow this: it needs the role ${needs}.`;
  return (
    <span class="action">
      <button
        type="button"
        class={kind ?? ''}
        disabled={isBusy || why !== undefined}
        title={why}
        aria-busy={isBusy}
        onClick={confirm === undefined ? run : () => setWritten('')}>
        {label}
      </button>
      {error !== undefined && <Failure error={error} />}
      {written !== undefined && confirm !== undefined ? (
        <ActionDialog
          {...props}
          title={confirm.title}
          label={confirm.label ?? label}
          isComplete={confirm.isComplete !== false && (confirm.typed === undefined || confirm.typed === written)}
          onClose={() => setWritten(undefined)}>
          <div>{confirm.text}</div>
          {confirm.typed !== undefined && (
            <TextField label={`Type ${confirm.typed} to confirm`} value={written} onInput={setWritten} code />
          )}
        </ActionDialog>
      ) : (
        <Curl call={call} />
      )}
    </span>
  );
}

interface Task {
  /** @returns whether it has succeeded */
  run: () => Promise<boolean>;
  isBusy: boolean;
  error: unknown;
}

/** Sends a call and keeps its state: for forms that have a submit button of their own. */
export function useAction<Reply>({ call, done, onDone, onRefused }: Action<Reply>): Task {
  return useTask(async () => {
    const reply = await send<Reply>(call);
    if (done !== undefined) announce(done);
    await onDone?.(reply);
  }, onRefused);
}

function useTask(task: () => Promise<void>, onRefused?: Action<unknown>['onRefused']): Task {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const run = async (): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await task();
      return true;
    } catch (failure) {
      if ((await onRefused?.(failure)) !== true) setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, error };
}

type FieldProps = Omit<Parameters<typeof TextField>[0], 'value' | 'onInput' | 'error'>;
export type Fields = Readonly<Record<string, FieldProps & { initial?: string }>>;

/** Makes a call of the texts in the fields: without spaces at their ends, unless they are passwords. */
type CallOf = (texts: Readonly<Record<string, string>>) => ApiCall;

interface FormProps<Reply> extends Omit<Action<Reply>, 'call'> {
  call: ApiCall | CallOf;
  /** Of the button that sends. */
  label: string;
  kind?: 'primary' | 'danger' | 'quiet';
  isComplete?: boolean;
  /** The label until the call is answered, if that may take seconds. */
  busyLabel?: string;
  /** The call to show as curl, if the real call has a secret. */
  shown?: ApiCall | CallOf;
}

/**
 * A form that sends one call.
 * @param props.name for screen readers
 * @param props.fields its texts, by their names in the request, where refusals are shown; they are required unless they say otherwise
 * @param props.back the button before the one that sends, and `props.further` those after it
 * @param props.children further fields. A refusal without a text of its own is shown below them
 */
export function ActionForm<Reply>(
  props: FormProps<Reply> & {
    name?: string;
    fields?: Fields;
    back?: Content;
    further?: Content;
    children?: Content;
  },
) {
  const { label, kind = 'primary', busyLabel = label, isComplete = true, fields = {} } = props;
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const textOf = (name: string): string => written[name] ?? fields[name]?.initial ?? '';
  const callOf = (made: ApiCall | CallOf): ApiCall => {
    if (typeof made !== 'function') return made;
    const texts = Object.entries(fields).map(([name, { type = 'text' }]) => {
      const text = textOf(name);
      return [name, type.endsWith('password') ? text : text.trim()];
    });
    return made(Object.fromEntries(texts));
  };
  const call = callOf(props.call);
  const { run, isBusy, error } = useAction<Reply>({
    ...props,
    call,
    onDone: async (reply) => {
      setWritten({});
      await props.onDone?.(reply);
    },
  });
  const details = error instanceof ApiFailure ? error.details : [];
  const faultOf = (name: string) => details.find(({ path }) => path === name || path.endsWith(`.${name}`))?.message;
  const isPlaced = error === undefined || Object.keys(fields).some((name) => faultOf(name) !== undefined);
  return (
    <Form onSubmit={run} {...(props.name !== undefined && { label: props.name })}>
      {Object.entries(fields).map(([name, field]) => (
        <TextField
          key={name}
          required
          {...field}
          value={textOf(name)}
          onInput={(text) => setWritten({ ...written, [name]: text })}
          error={faultOf(name)}
          saysError
        />
      ))}
      {props.children}
      {!isPlaced && <Failure error={error} />}
      <footer class="buttons">
        <Curl call={callOf(props.shown ?? call)} />
        {props.back}
        <button class={kind} disabled={isBusy || !isComplete} aria-busy={isBusy}>
          {isBusy ? busyLabel : label}
        </button>
        {props.further}
      </footer>
    </Form>
  );
}

/** Such a form in a dialog, which closes once the server has accepted the call. */
export function ActionDialog<Reply>(
  props: Parameters<typeof ActionForm<Reply>>[0] & { title: string; onClose: () => void },
) {
  const { title, onClose, onDone } = props;
  const back = (
    <button type="button" onClick={onClose}>
      Back
    </button>
  );
  const close = async (reply: Reply): Promise<void> => {
    onClose();
    await onDone?.(reply);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm {...props} back={back} onDone={close} />
    </Dialog>
  );
}

/** A link that looks like a button. */
export function LinkButton({ label, href, kind }: { label: string; href: string; kind?: 'primary' }) {
  return (
    <a class={`button ${kind ?? ''}`} href={href}>
      {label}
    </a>
  );
}

/** Saves the reply to a call as a file: a link could not send the header. The browser keeps a large reply on disk, not in memory. */
export function DownloadButton({ label, fileName, call }: { label: string; fileName: string; call: ApiCall }) {
  const { run, isBusy, error } = useTask(async () => saveAs(await (await open(call)).blob(), fileName));
  return (
    <span class="action">
      <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={run}>
        {isBusy ? 'Exporting …' : label}
      </button>
      {error !== undefined && <Failure error={error} />}
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
