/** The steps of the form, each a link: all can be reached at any time, and each says what it has so far. */
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { formatTime } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { TwoLines } from '../../kit/table.tsx';
import { DEFAULT, isUnwritten, valuesOf } from './draft/content-sections.ts';
import { type Fault, type Step, STEPS } from './draft/faults.ts';
import { fieldText, type JsonObject } from './draft/members.ts';
import { TARGETS, targetOf } from './draft/target.ts';
import { isLater } from './draft/times.ts';
import { sectionQuery, useWritten } from './form.tsx';
import { TargetForm } from './target-form.tsx';
import { MessageForm } from './what/message-form.tsx';
import { WhenForm } from './when-form.tsx';

const NAMES: Readonly<Record<Step, string>> = { whom: 'Whom', what: 'What', when: 'When' };

const FORMS = { whom: TargetForm, what: MessageForm, when: WhenForm };

/** The links, and the forms of the steps: each keeps its state while another one is shown. */
export function Steps() {
  const { notification, faults } = useWritten();
  const { path, query } = place.value;
  const chosen = STEPS.find((step) => step === query.get('step')) ?? 'whom';
  const isFaulty = (step: Step): boolean => faults.some((fault) => fault.step === step && fault.kind === 'fault');
  return (
    <>
      <nav aria-label="Steps">
        <ol class="compose-steps">
          {STEPS.map((step) => (
            <li key={step}>
              <a
                href={addressOf(path, { ...Object.fromEntries(query), step: inAddress(step) })}
                aria-current={step === chosen ? 'step' : undefined}>
                <TwoLines
                  name={
                    <>
                      {NAMES[step]}{' '}
                      {isFaulty(step) && (
                        <span class="toned bad">
                          <Icon name="warning" />
                          <span class="visually-hidden">has faults</span>
                        </span>
                      )}
                    </>
                  }
                  text={WORDS[step](notification)}
                />
              </a>
            </li>
          ))}
        </ol>
      </nav>
      {STEPS.map((step, index) => {
        const StepForm = FORMS[step];
        const next = STEPS[index + 1];
        return (
          <section key={step} class="stack" data-step={step} aria-label={NAMES[step]} hidden={step !== chosen}>
            <StepForm />
            {next !== undefined && (
              <button
                type="button"
                class="compose-end"
                onClick={() => showField({ step: next, section: undefined, path: '' })}>
                Next: {NAMES[next]}
              </button>
            )}
          </section>
        );
      })}
    </>
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
  setQuery({ view: undefined, step: inAddress(step), ...(section && sectionQuery(section)) }, 'push');
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
