/** The bar at the bottom of the window: who can be reached, what stands against sending, and what to do next. */
import { useId, useState } from 'preact/hooks';
import type { Content } from '../../kit/content.ts';
import { formatNumber } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { Failure } from '../../kit/states.tsx';
import { change, remove, written } from './draft/draft.ts';
import type { Fault } from './draft/faults.ts';
import type { Counted, ShownPreview } from './preview.tsx';
import { showField } from './steps.tsx';

/** @param props.followed what became of a test; @param props.children the buttons */
export function Bar(props: { counted: Counted; preview: ShownPreview; followed?: Content; children: Content }) {
  const { counted, preview, followed, children } = props;
  const { faults, error, isCurrent } = preview;
  return (
    <div class="compose-bar">
      {followed}
      {error !== undefined && <Failure error={error} />}
      <div class="in-line">
        <CountLine counted={counted} />
        {faults.length > 0 ? (
          <Faults faults={faults} />
        ) : (
          <p class="compose-ready muted">{isCurrent && 'Nothing stands against it'}</p>
        )}
        <div class="buttons compose-end">{children}</div>
      </div>
    </div>
  );
}

function mend({ mend: mended, removes }: NonNullable<Fault['fix']>): void {
  const notification = written();
  if (notification === undefined) return;
  if (removes === undefined) change(mended(notification));
  else remove(mended(notification), removes);
}

const TONES = { open: '', fault: 'bad', warning: 'warn' } as const;

function Faults({ faults }: { faults: readonly Fault[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? faults : faults.slice(0, 1);
  return (
    <section class="in-line compose-faults" role="status" aria-label="Faults">
      <ul>
        {shown.map((fault) => (
          <li key={`${fault.path} ${fault.sentence}`}>
            <span class={`toned ${TONES[fault.kind]}`}>
              <Icon name={fault.kind === 'open' ? 'compose' : 'warning'} />
            </span>
            <span>
              <button type="button" class="plain compose-link" onClick={() => showField(fault)}>
                <bdi>{fault.sentence}</bdi>
              </button>
              {fault.fix !== undefined && (
                <button type="button" class="compose-mend" onClick={() => fault.fix && mend(fault.fix)}>
                  <bdi>{fault.fix.label}</bdi>
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {faults.length > 1 && (
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Only the first' : `and ${faults.length - 1} more`}
        </button>
      )}
    </section>
  );
}

/** A button that can be reached while it is refused, so that its reason is heard. @param props.why it does nothing now */
export function GuardedButton(props: {
  kind?: 'primary';
  submit?: boolean;
  isBusy?: boolean;
  why: string | undefined;
  onClick?: () => void;
  children: Content;
}) {
  const { kind, submit = false, isBusy = false, why, onClick, children } = props;
  const id = useId();
  const isRefused = why !== undefined || isBusy;
  return (
    <>
      <button
        type={submit ? 'submit' : 'button'}
        class={kind}
        aria-disabled={isRefused}
        aria-busy={isBusy}
        aria-describedby={id}
        title={why}
        onClick={(event) => (isRefused ? event.preventDefault() : onClick?.())}>
        {children}
      </button>
      <span id={id} class="visually-hidden">
        {why}
      </span>
    </>
  );
}

/** 'Reachable now: 11,900 of 12,345' */
export function CountLine({ counted }: { counted: Counted }) {
  const { count, isCounting, error, reload } = counted;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  return (
    <p role="status">
      {count === undefined ? (
        isCounting && 'Counting …'
      ) : (
        <>
          Reachable now: <strong>{formatNumber(count.reachable_count)}</strong> of {formatNumber(count.device_count)}
        </>
      )}
    </p>
  );
}
