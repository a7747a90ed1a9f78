import type { ComponentProps } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { may, type Role } from '../frame/session.ts';
import type { Content } from './content.ts';
import { InDialog } from './developer/drawer.tsx';
import { Icon } from './icon.tsx';

/** Something over the page, rendered only while it is open. The browser keeps the focus in it and gives it back; Escape closes it. */
export function Modal({ onClose, children, ...others }: ComponentProps<'dialog'> & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Opens before the next key press is handled, so that keys typed right after the click go to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      {...others}
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}>
      <InDialog.Provider value={true}>{children}</InDialog.Provider>
    </dialog>
  );
}

/** A dialog with its title. */
export function Dialog(props: { title: string; onClose: () => void; wide?: boolean; children?: Content }) {
  const { title, onClose, wide = false, children } = props;
  const heading = useId();
  return (
    <Modal class={`raised stack dialog ${wide ? 'wide' : ''}`} aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </Modal>
  );
}

/** A button that opens a dialog. @param props.dialog gets what closes it */
export function DialogButton(props: {
  label: string;
  kind?: 'primary' | 'danger';
  needs?: Role;
  dialog: (close: () => void) => Content;
}) {
  const { label, kind = '', needs, dialog } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={kind} disabled={needs !== undefined && !may(needs)} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
