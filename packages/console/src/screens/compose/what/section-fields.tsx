/** The fields of one section of the content. In a section that only overrides others, an empty field shows the value that applies. */
import { Checkbox, Select, TextArea, TextField } from '../../../kit/form.tsx';
import {
  DEFAULT,
  inherited,
  isSameSection,
  pathIn,
  sectionWords,
  valuesOf,
  withValue,
} from '../draft/content-sections.ts';
import { change } from '../draft/draft.ts';
import { KEY_LABELS } from '../draft/faults.ts';
import { fieldText, numberFrom } from '../draft/members.ts';
import { Folded, type Option, useWritten } from '../form.tsx';

const KNOWN_KEYS = Object.keys(KEY_LABELS);

const MORE_KEYS = KNOWN_KEYS.filter((key) => !['title', 'alert', 'subtitle', 'image'].includes(key));

const LEVELS = [
  { value: '', label: 'As usual (active)' },
  { value: 'passive', label: 'Passive: quietly into the list' },
  { value: 'active', label: 'Active' },
  { value: 'time-sensitive', label: 'Time-sensitive: breaks through a Focus' },
  { value: 'critical', label: 'Critical: sounds even if muted' },
];

const FLAGS = [
  { value: '', label: 'no' },
  { value: 'true', label: 'yes' },
];

/** The known keys of a payload. The app's own keys are kept and shown by name. */
export function SectionFields() {
  const { notification, section } = useWritten();
  const values = valuesOf(notification, section);
  const own = Object.keys(values).filter((key) => !KNOWN_KEYS.includes(key));
  return (
    <>
      <TextKey name="title" />
      <TextKey name="subtitle" hint="iOS only." />
      <TextKey name="alert" kind="lines" />
      <TextKey name="image" hint="An https address. The console does not load it." kind="url" />
      <Folded summary="Sound, badge, replacement and more" open={MORE_KEYS.some((key) => values[key] !== undefined)}>
        <div class="compose-pair">
          <TextKey name="sound" hint="A file of the app, iOS only." kind="code" />
          <TextKey name="badge" hint="0 removes it, iOS only." kind="number" />
          <TextKey name="category" hint="Buttons that the app has registered." kind="code" />
          <TextKey name="_channel_id" hint="Android only." kind="code" />
          <TextKey name="collapse_key" hint="A later push with the same key replaces this one." kind="code" />
          <TextKey name="relevance_score" hint="0 to 1, for summaries of iOS." kind="number" />
        </div>
        <ChoiceKey name="interruption_level" hint="iOS only." options={LEVELS} />
        <FlagKey
          name="mutable_content"
          label="The app may change it before it is shown"
          hint="Needed for a picture on iOS."
        />
        <FlagKey name="content_available" label="Wake the app in the background" hint="iOS only." />
      </Folded>
      {own.length > 0 && (
        <p class="hint">
          Also sent to the app:{' '}
          {own.map((key) => [
            <code key={key}>
              <bdi>{key}</bdi>
            </code>,
            ' ',
          ])}
          – change these as JSON.
        </p>
      )}
    </>
  );
}

interface KeyProps {
  name: keyof typeof KEY_LABELS;
  label?: string;
  hint?: string;
}

function useKey({ name, label = KEY_LABELS[name], hint }: KeyProps) {
  const { notification, section, faultAt } = useWritten();
  const isDefault = isSameSection(section, DEFAULT);
  const value = valuesOf(notification, section)[name];
  const behind = isDefault ? undefined : inherited(notification, section, name);
  return {
    field: { label, hint, error: faultAt(pathIn(notification, section, name)) },
    value,
    isDefault,
    isRemoved: value === null && !isDefault,
    behind: behind && { value: behind.value, words: sectionWords(notification, behind.from) },
    lang: section.language,
    set: (next: unknown): void => change(withValue(notification, section, name, next)),
  };
}

/** A text or a number. */
function TextKey(props: KeyProps & { kind?: 'text' | 'lines' | 'number' | 'url' | 'code' }) {
  const { name, kind = 'text' } = props;
  const { field, value, isRemoved, behind, lang, set } = useKey(props);
  const { label, hint } = field;
  const isBehind = value === undefined && behind !== undefined;
  const button = (words: string, meaning: string, next: unknown) => (
    <button type="button" class="plain compose-link" aria-label={meaning} onClick={() => set(next)}>
      {words}
    </button>
  );
  const shared = {
    ...field,
    value: isRemoved ? '' : fieldText(value),
    disabled: isRemoved,
    placeholder: isRemoved ? 'Nothing' : behind && fieldText(behind.value),
    lang,
    code: kind === 'code',
    hint: isRemoved ? (
      <>Is not sent here. {button('Undo', `Write ${label} again`, undefined)}</>
    ) : isBehind ? (
      <>
        {hint} Left empty: as in <bdi>{behind.words}</bdi>. {button('Send none', `Send no ${label}`, null)}
      </>
    ) : (
      hint
    ),
    onInput: (text: string) => set(kind === 'number' ? numberFrom(text) : text || undefined),
  };
  return (
    <div data-key={name}>
      {kind === 'lines' ? (
        <TextArea {...shared} rows={3} />
      ) : (
        <TextField {...shared} type={kind === 'code' ? 'text' : kind} />
      )}
    </div>
  );
}

/** Stands for null, which removes the value of other sections. */
const NONE = 'null';

/** One of a few words. @param props.options the first one, with the value '', is the default */
function ChoiceKey(props: KeyProps & { options: readonly Option[] }) {
  const { field, value, isRemoved, behind, set } = useKey(props);
  const [usual, ...others] = props.options;
  const behindText = fieldText(behind?.value);
  const behindLabel = others.find((option) => option.value === behindText)?.label ?? behindText;
  const own = behind && [
    { value: '', label: `As in ${behind.words}: ${behindLabel}` },
    { value: NONE, label: usual?.label ?? '' },
    ...others,
  ];
  return (
    <Select
      {...field}
      value={isRemoved || value === false ? NONE : fieldText(value)}
      options={own ?? props.options}
      onChange={(chosen) => set(chosen === NONE ? null : chosen === 'true' || chosen || undefined)}
    />
  );
}

function FlagKey(props: KeyProps) {
  const { field, value, isDefault, set } = useKey(props);
  if (!isDefault) return <ChoiceKey {...props} options={FLAGS} />;
  return <Checkbox {...field} checked={value === true} onChange={(isOn) => set(isOn || undefined)} />;
}
