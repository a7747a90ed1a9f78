/** What every part of the form knows, and fields for members of the notification. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { isObject } from '../../filter-builder/language.ts';
import { Select, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { languagesOf, type Section } from './draft/content-sections.ts';
import { change } from './draft/draft.ts';
import type { Fault, Refusal } from './draft/faults.ts';
import { fieldText, type JsonObject, numberFrom, valueAt, withAt } from './draft/members.ts';
import { variantsOf } from './draft/variants.ts';
import { place, setQuery } from '../../frame/router.ts';

export interface Written {
  notification: JsonObject;
  refusal: Refusal | undefined;
  faults: readonly Fault[];
}

export const WrittenContext = createContext<Written>({ notification: {}, refusal: undefined, faults: [] });

export function useWritten() {
  const written = useContext(WrittenContext);
  const { notification, refusal } = written;
  return {
    ...written,
    section: chosenSection(notification),
    /** The fault of a member of the notification, such as `payload.badge`. */
    faultAt: (path: string) => refusal?.details?.find((fault) => fault.path === `notification.${path}`)?.message,
    set: (path: string, value: unknown): void => {
      const changed = withAt(notification, path, value);
      if (isObject(changed)) change(changed);
    },
  };
}

/** @returns the section that is being written: that of the address (`?language=fr&variant=2`), as far as the notification has it */
export function chosenSection(notification: JsonObject): Section {
  const { query } = place.value;
  const variant = Number(query.get('variant')) - 1;
  const language = query.get('language') ?? undefined;
  return {
    variant: variantsOf(notification)[variant] === undefined ? undefined : variant,
    language: languagesOf(notification).find((tag) => tag === language),
  };
}

/** The section in the address. */
export function sectionQuery({ variant, language }: Section) {
  return { variant: variant === undefined ? undefined : variant + 1, language };
}

export function chooseSection(section: Section): void {
  setQuery(sectionQuery(section));
}

interface MemberProps {
  at: string;
  label: string;
  hint?: Content;
}

/** @param props.type `percent`: a share of the API, 0 to 1 */
export function MemberText(
  props: MemberProps & {
    type?: 'number' | 'percent' | 'datetime-local';
    code?: boolean;
    onWritten?: () => void;
  },
) {
  const { at, type, code, onWritten, ...field } = props;
  const { notification, faultAt, set } = useWritten();
  const value = valueAt(notification, at);
  const read = (text: string): unknown => {
    if (type !== 'number' && type !== 'percent') return text || (at.includes('.') ? '' : undefined);
    const number = numberFrom(text);
    return type === 'percent' && typeof number === 'number' ? rounded(number / 100) : number;
  };
  return (
    <TextField
      {...field}
      code={code}
      type={type === 'percent' ? 'number' : (type ?? 'text')}
      value={fieldText(type === 'percent' && typeof value === 'number' ? rounded(value * 100) : value)}
      error={faultAt(at)}
      onInput={(text) => {
        set(at, read(text));
        onWritten?.();
      }}
    />
  );
}

/** Drops the last digits: 0.07 · 100 is 7.000000000000001. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

export interface Option {
  value: string;
  label: string;
}

/**
 * One of a few values, or what the JSON has if it is none of them.
 * @param props.usual the value that a member has which is left out
 * @param props.labelOf words for a value that is not among the options
 */
export function MemberChoice(
  props: MemberProps & {
    options: readonly Option[];
    usual?: string;
    isNumber?: boolean;
    labelOf?: (value: string) => string;
  },
) {
  const { at, options, usual = '', isNumber = false, labelOf = String, ...field } = props;
  const { notification, faultAt, set } = useWritten();
  const value = fieldText(valueAt(notification, at)) || usual;
  const isKnown = options.some((option) => option.value === value);
  return (
    <Select
      {...field}
      value={value}
      options={isKnown ? options : [...options, { value, label: labelOf(value) }]}
      error={faultAt(at)}
      onChange={(chosen) => set(at, chosen === usual ? undefined : isNumber ? numberFrom(chosen) : chosen)}
    />
  );
}

/** Fields that few readers need; unfolded while one of them has a value. */
export function Folded(props: { summary: string; open: boolean; children: Content }) {
  const { summary, open, children } = props;
  return (
    <details class="fold" open={open}>
      <summary>{summary}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}
