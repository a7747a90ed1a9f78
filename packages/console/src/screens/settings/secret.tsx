import { Code, CopyButton } from '../../kit/copy.tsx';
import { Dialog } from '../../kit/dialog.tsx';

/** A secret that the server does not show again. */
export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>It is shown only now. Copy it to where it is needed; the server keeps no copy that can be read.</p>
      <Code label="Secret" text={secret} />
      <footer>
        <CopyButton text={secret} />
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
