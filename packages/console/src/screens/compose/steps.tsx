/** The steps of the form, each a link: all can be reached at any time, and each says what it has so far. */
import { addressOf, place, setQuery } from '../../frame/router.ts';
import type { Content } from '../../kit/content.ts';
import { formatTime } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { TwoLines } from '../../kit/table.tsx';
import { DEFAULT, isUnwritten, valuesOf } from './draft/content-sections.ts';
import { type Fault, type Step, STEPS } from './draft/faults.ts';
import { fieldText, type JsonObject } from './draft/members.ts';
import { TARGETS, targetOf } from './draft/target.ts';
import { isLater } from './draft/times.ts';
import { useWritten } from './form.tsx';

const NAMES: Readonly<Record<Step, string>> = { whom: 'Whom', what: 'What', when: 'When' };

function chosenStep(): Step {
  return STEPS.find((step) => step === place.value.query.get('step')) ?? 'whom';
}

export function StepRail() {
  const { notification, faults } = useWritten();
  const { path, query } = place.value;
  const isFaulty = (step: Step): boolean => faults.some((fault) => fault.step === step && fault.kind === 'fault');
  return (
    <nav aria-label="Steps" class="compose-steps">
      <ol>
        {STEPS.map((step) => (
          <li key={step}>
            <a
              href={addressOf(path, { ...Object.fromEntries(query), step: inAddress(step) })}
              aria-current={step === chosenStep() ? 'step' : undefined}>
              <TwoLines
                name={
                  <>
                    {NAMES[step]} {isFaulty(step) && <Icon name="warning" />}
                    <span class="visually-hidden">{isFaulty(step) && 'has faults'}</span>
                  </>
                }
                text={WORDS[step](notification)}
              />
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A step of the form; it keeps its state while another one is shown. */
export function StepPanel({ step, children }: { step: Step; children: Content }) {
  const next = STEPS[STEPS.indexOf(step) + 1];
  return (
    <section class="stack" data-step={step} aria-label={NAMES[step]} hidden={step !== chosenStep()}>
      {children}
      {next !== undefined && (
        <p class="compose-next">
          <button type="button" onClick={() => showField({ step: next, section: undefined, path: '' })}>
            Next: {NAMES[next]}
          </button>
        </p>
      )}
    </section>
  );
}

/** The address has the first step without a parameter. */
function inAddress(step: Step): string | undefined {
  return step === 'whom' ? undefined : step;
}

/** What the steps have so far. */
const WORDS: Readonly<Record<Step, (notification: JsonObject) => string>> = {
  whom({ to }) {
    const { kind } = targetOf(to);
    return TARGETS.find((one) => one.kind === kind)?.label ?? (kind === 'none' ? 'Nobody yet' : 'As JSON');
  },
  what(notification) {
    const { title, alert } = valuesOf(notification, DEFAULT);
    const text = [title, alert].find((one) => typeof one === 'string' && one !== '');
    return isUnwritten(notification) ? 'Nothing yet' : fieldText(text) || 'No text';
  },
  when(notification) {
    const { deliver_at: at, deliver_at_local: local } = notification;
    if (local !== undefined) return 'At the local time';
    return typeof at === 'string' && isLater(notification) ? formatTime(at).replace(/:\d\d$/, '') : 'At once';
  },
};

/** Leads to the field of a fault: its step, its section, and the focus. */
export function showField({ step, section, path }: Pick<Fault, 'step' | 'section' | 'path'>): void {
  if (step === undefined) {
    setQuery({ view: 'json', step: undefined }, 'push');
    return;
  }
  const variant = section?.variant === undefined ? undefined : section.variant + 1;
  const chosen = section && { variant, language: section.language };
  setQuery({ view: undefined, step: inAddress(step), ...chosen }, 'push');
  const key = path.slice(path.lastIndexOf('.') + 1);
  // The step is drawn after this event.
  requestAnimationFrame(() => {
    const panel = document.querySelector(`[data-step=${step}]`);
    const FIELDS = ':is(input, textarea, select)';
    const field = [`[data-key="${CSS.escape(key)}"] ${FIELDS}`, '[aria-invalid=true]', FIELDS]
      .map((selector) => panel?.querySelector<HTMLElement>(selector))
      .find((found) => found);
    for (let folded = field?.closest('details'); folded; folded = folded.parentElement?.closest('details')) {
      folded.open = true;
    }
    field?.focus();
  });
}
