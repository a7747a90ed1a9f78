/** The fields of one section of the content. In a section that only overrides others, an empty field shows the value that applies. */
import { Checkbox, Select, TextArea, TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { fieldText, type JsonObject, numberFrom } from '../draft/members.ts';
import { sectionWords } from '../draft/section-words.ts';
import {
  DEFAULT,
  inherited,
  isSameSection,
  type Section,
  pathIn,
  valuesOf,
  withValue,
} from '../draft/content-sections.ts';
import { faultAt } from '../preview.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

export interface FieldOfSection {
  notification: JsonObject;
  section: Section;
  refusal: Refusal | undefined;
  /** The key in the payload. */
  name: string;
  label: string;
  hint?: string | undefined;
}

/** The properties of every field of a key, whatever its kind. */
function keyOf({ notification, section, refusal, name }: FieldOfSection) {
  const values = valuesOf(notification, section);
  const value = values[name];
  return {
    value,
    isRemoved: value === null && !isSameSection(section, DEFAULT),
    behind: isSameSection(section, DEFAULT) ? undefined : inherited(notification, section, name),
    error: faultAt(refusal, pathIn(notification, section, name)),
    set: (next: unknown): void => change(withValue(notification, section, name, next)),
  };
}

/** A text or a number. @param props.lines more than one for a long text */
export function SectionText(
  props: FieldOfSection & { kind?: 'text' | 'number' | 'url' | 'code'; lines?: number },
): Content {
  const { notification, section, name, label, hint, kind = 'text', lines = 1 } = props;
  const { value, isRemoved, behind, error, set } = keyOf(props);
  const shared = {
    label,
    error,
    value: isRemoved ? '' : fieldText(value),
    disabled: isRemoved,
    placeholder: isRemoved ? 'Nothing' : behind && fieldText(behind.value),
    lang: section.language,
    code: kind === 'code',
    hint: isRemoved ? (
      <Removed label={label} onUndo={() => set(undefined)} />
    ) : value === undefined && behind !== undefined ? (
      <>
        {hint} <Behind notification={notification} from={behind.from} label={label} onRemove={() => set(null)} />
      </>
    ) : (
      hint
    ),
    onInput: (text: string) => set(kind === 'number' ? numberFrom(text) : text || undefined),
  };
  return (
    <div data-key={name}>
      {lines > 1 ? (
        <TextArea {...shared} rows={lines} />
      ) : (
        <TextField {...shared} type={kind === 'code' ? 'text' : kind} />
      )}
    </div>
  );
}

/** Says where the text of an empty field comes from. */
function Behind(props: { notification: JsonObject; from: Section; label: string; onRemove: () => void }): Content {
  const { notification, from, label, onRemove } = props;
  return (
    <>
      Left empty: as in <bdi>{sectionWords(notification, from)}</bdi>.{' '}
      <button type="button" class="plain compose-link" aria-label={`Send no ${label}`} onClick={onRemove}>
        Send none
      </button>
    </>
  );
}

function Removed({ label, onUndo }: { label: string; onUndo: () => void }): Content {
  return (
    <>
      Is not sent here.{' '}
      <button type="button" class="plain compose-link" aria-label={`Write ${label} again`} onClick={onUndo}>
        Undo
      </button>
    </>
  );
}

/** One of a few words. @param props.options the first one, with the value '', is the default */
export function SectionChoice(
  props: FieldOfSection & { options: readonly { value: string; label: string }[] },
): Content {
  const { notification, label, hint, options } = props;
  const { value, isRemoved, behind, error, set } = keyOf(props);
  const [usual, ...others] = options;
  const labelOf = (chosen: unknown): string =>
    others.find((option) => option.value === chosen)?.label ?? fieldText(chosen);
  const own =
    behind === undefined
      ? options
      : [
          {
            value: '',
            label: `As in ${sectionWords(notification, behind.from)}: ${labelOf(behind.value)}`,
          },
          { value: NONE, label: usual?.label ?? '' },
          ...others,
        ];
  return (
    <Select
      label={label}
      hint={hint}
      value={isRemoved ? NONE : fieldText(value)}
      options={own}
      error={error}
      onChange={(chosen) => set(chosen === NONE ? null : chosen || undefined)}
    />
  );
}

/** Stands for null, which removes the value of other sections. */
const NONE = 'null';

/** Yes or no. */
export function SectionFlag(props: FieldOfSection): Content {
  const { notification, section, label, hint } = props;
  const { value, isRemoved, behind, error, set } = keyOf(props);
  if (isSameSection(section, DEFAULT)) {
    return (
      <Checkbox
        label={label}
        hint={hint}
        checked={value === true}
        error={error}
        onChange={(isOn) => set(isOn ? true : undefined)}
      />
    );
  }
  const from = sectionWords(notification, behind?.from ?? DEFAULT);
  return (
    <Select
      label={label}
      hint={hint}
      value={isRemoved ? 'false' : fieldText(value)}
      options={[
        { value: '', label: `As in ${from}: ${behind?.value === true ? 'yes' : 'no'}` },
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
      error={error}
      onChange={(chosen) => set(chosen === '' ? undefined : chosen === 'true')}
    />
  );
}
