import { CopyButton } from '../../kit/copy.tsx';
import { Dialog } from '../../kit/dialog.tsx';

/** A secret that the server does not show again. */
export function SecretDialog(props: { title: string; secret: string; onClose: () => void }) {
  const { title, secret, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>It is shown only now. Copy it to where it is needed; the server keeps no copy that can be read.</p>
      <pre class="code" tabindex={0} aria-label="Secret" role="region">
        {secret}
      </pre>
      <footer>
        <CopyButton text={secret} />
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
