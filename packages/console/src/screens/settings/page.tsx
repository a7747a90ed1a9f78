/** What the parts of the settings share. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import { appAddress, appPlace, may } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { Dialog, DialogButton } from '../../kit/dialog.tsx';
import { Checkbox } from '../../kit/form.tsx';
import { Empty } from '../../kit/states.tsx';
import { parts } from './parts.ts';

/** The entry in the navigation; each part has an address of its own. */
export function Settings() {
  useEffect(() => go(appAddress('settings/general'), 'replace'), []);
  return undefined;
}

/** In place of a part that the API refuses to others. @param what they may not do: 'see its API keys' */
export function AdminsOnly({ title, what }: { title: string; what: string }) {
  return (
    <SettingsPage title={title}>
      <Empty title={`Only admins of this app may ${what}`} />
    </SettingsPage>
  );
}

/** A part of the settings, next to the list of those that the role can use. */
export function SettingsPage(props: { title: Content; text?: Content; actions?: Content; children?: Content }) {
  const { title, text, actions, children } = props;
  const here = appPlace.value?.rest ?? '';
  const nav = useRef<HTMLElement>(null);
  // On a phone the list is a line that is wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <div class="settings">
      <nav class="links" aria-label="Settings" ref={nav}>
        {parts
          .filter(({ needs = 'viewer' }) => may(needs))
          .map(({ path, title: label }) => (
            <a key={path} href={appAddress(path)} aria-current={here.startsWith(path) ? 'page' : undefined}>
              {label}
            </a>
          ))}
      </nav>
      <div class="stack">
        <div class="screen-head">
          <h1>{title}</h1>
          <div class="buttons">{actions}</div>
        </div>
        {text !== undefined && <p class="muted">{text}</p>}
        {children}
      </div>
    </div>
  );
}

/**
 * A button that makes something with a secret, which is shown once.
 * @param props.dialog asks what to make, and hands over its secret
 */
export function SecretButton(props: {
  label: string;
  /** Of the dialog that shows the secret. */
  title: string;
  onMade: () => void;
  dialog: (close: () => void, onSecret: (secret: string) => void) => Content;
}) {
  const { label, title, onMade, dialog } = props;
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const keep = (made: string): void => {
    setSecret(made);
    onMade();
  };
  const forget = (): void => setSecret(undefined);
  return (
    <>
      <DialogButton label={label} kind="primary" needs="admin" dialog={(close) => dialog(close, keep)} />
      {secret !== undefined && (
        <Dialog title={title} onClose={forget}>
          <p>It is shown only now. Copy it to where it is needed; the server keeps no copy that can be read.</p>
          <Code label="Secret" text={secret} />
          <footer>
            <CopyButton text={secret} />
            <button type="button" class="primary" onClick={forget}>
              Done
            </button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

/** Checkboxes of which several may be on. `onChange` gets the chosen values in the order of `all`. */
export function Choices<Value extends string>(props: {
  legend: string;
  all: readonly { value: Value; label: string }[];
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
}) {
  const { legend, all, chosen, onChange } = props;
  const change = (changed: Value, isOn: boolean): void =>
    onChange(all.flatMap(({ value }) => ((value === changed ? isOn : chosen.includes(value)) ? [value] : [])));
  return (
    <fieldset class="stack close">
      <legend>{legend}</legend>
      {all.map(({ value, label }) => (
        <Checkbox key={value} label={label} checked={chosen.includes(value)} onChange={(isOn) => change(value, isOn)} />
      ))}
    </fieldset>
  );
}
