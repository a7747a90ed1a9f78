/**
 * What stands against sending a draft, in the words of the form: what is not written yet, the faults for which creation would
 * refuse it, and warnings, which creation accepts.
 */
import { isObject } from '../../../filter-builder/language.ts';
import { languageName } from '../../../kit/format.ts';
import type { PreviewFix, PreviewRefusal, PreviewWarning } from '../../../replies.ts';
import {
  DEFAULT,
  emptyLanguages,
  isSameSection,
  isUnwritten,
  languagesOf,
  type Section,
  sectionAt,
  sectionWords,
  valuesOf,
} from './content-sections.ts';
import { type JsonObject, withAt } from './members.ts';
import { variantName, variantsOf } from './variants.ts';

/** Its code may be of another call, or of something between the browser and the server. */
export type Refusal = Omit<PreviewRefusal, 'code'> & { code: string };

export const STEPS = ['whom', 'what', 'when'] as const;
export type Step = (typeof STEPS)[number];

export interface Fault {
  /** `open`: not written yet. Only a `warning` leaves the draft ready to be sent. */
  kind: 'open' | 'fault' | 'warning';
  path: string;
  /** The step that has its field; undefined: only the JSON has it. */
  step: Step | undefined;
  /** Of the content; undefined: it is about something else. */
  section: Section | undefined;
  sentence: string;
  fix: Fix | undefined;
}

interface Fix {
  label: string;
  /** The name of what it removes, which can be brought back. */
  removes: string | undefined;
  mend: (notification: JsonObject) => JsonObject;
}

const MEMBERS: Readonly<Record<string, readonly [Step, string]>> = {
  to: ['whom', 'The choice of recipients'],
  payload: ['what', 'The message'],
  localized: ['what', 'The translation'],
  variants: ['what', 'The A/B test'],
  hold_out: ['what', 'The hold-out'],
  experiment: ['what', 'The experiment'],
  template: ['what', 'The choice about values in texts'],
  sensitive: ['what', 'The choice of sensitive texts'],
  receipts: ['what', 'The share of receipts'],
  android_presentation: ['what', 'The choice for Android'],
  deliver_at: ['when', 'The moment'],
  deliver_at_local: ['when', 'The local time'],
  max_recipients: ['when', 'The limit of recipients'],
  spread_over: ['when', 'The time to spread it over'],
  quiet_hours: ['when', 'The quiet hours'],
  time_to_live: ['when', 'The time to live'],
  priority: ['when', 'The priority'],
};

export const KEY_LABELS = {
  title: 'Title',
  subtitle: 'Subtitle',
  alert: 'Text',
  image: 'Picture',
  sound: 'Sound',
  badge: 'Badge',
  category: 'Category',
  collapse_key: 'Collapse key',
  _channel_id: 'Channel',
  interruption_level: 'Interruption level',
  relevance_score: 'Relevance',
  mutable_content: 'Letting the app change it',
  content_available: 'Waking the app',
} as const;

const LABELS: Readonly<Record<string, string>> = KEY_LABELS;

/** @returns what is worst comes first */
export function faultsOf(
  notification: JsonObject,
  { refusal, warnings }: { refusal: Refusal | undefined; warnings: readonly PreviewWarning[] },
): Fault[] {
  const { details = [], error = '', code } = refusal ?? {};
  const refused = details.length > 0 || refusal === undefined ? details : [{ path: '', message: error }];
  const of = (kind: Fault['kind'], path: string, sentence: string, fix?: PreviewWarning['fix']): Fault => ({
    kind,
    path,
    step: code === 'not_found' && path === '' ? 'whom' : MEMBERS[memberIn(path)]?.[0],
    section: sectionAt(path) ?? variantAt(path),
    sentence,
    fix: fix ? fixOf(fix, notification) : undefined,
  });
  const faults = refused.map(({ path, message }) => {
    const first = firstWords(path, notification);
    return first === undefined
      ? of('fault', path, `${nameOf(path, notification)} ${message}`.trim())
      : of('open', path, first);
  });
  const open = emptyLanguages(notification).map(({ path, language }) =>
    of('open', path, `${languageName(language)} has no text yet.`),
  );
  const warned = [...warnings, ...withoutReceipts(notification)].map((warning) =>
    of('warning', warning.path, warningWords(warning, notification), warning.fix),
  );
  const all = [...faults, ...open, ...warned];
  return (['fault', 'open', 'warning'] as const).flatMap((kind) =>
    all.filter((fault) => fault.kind === kind),
  );
}

/** Without receipts, the results of a test have opens alone. */
function withoutReceipts(notification: JsonObject): PreviewWarning[] {
  if (variantsOf(notification).length === 0 || notification['receipts'] !== undefined) return [];
  const fix = [{ op: 'set', path: 'notification.receipts', value: {} } as const];
  const message = 'can compare only opens, because devices are not asked for receipts';
  return [{ code: 'no_effect', path: 'notification.variants', message, fix }];
}

/** Makes the edits by which the API says that a warning can be mended. */
export function mended(notification: JsonObject, edits: readonly PreviewFix[]): JsonObject {
  return edits.reduce((left, edit) => {
    const whole = withAt({ notification: left }, edit.path, edit.op === 'set' ? edit.value : undefined);
    return isObject(whole) && isObject(whole['notification']) ? whole['notification'] : left;
  }, notification);
}

function fixOf(edits: readonly PreviewFix[], notification: JsonObject): Fix {
  const [{ op, path } = { op: 'set', path: '' }] = edits;
  const fix = (label: string, removes?: string): Fix => {
    return { label, removes, mend: (present) => mended(present, edits) };
  };
  const index = /\.variants\[(\d+)\]$/.exec(path)?.[1];
  if (index !== undefined) {
    const removes = variantName(notification, Number(index)).replace(/^(?!variant )/, 'variant ');
    return fix(`Remove ${removes}`, removes);
  }
  if (path === 'notification.variants') return fix('Send without a test', 'the A/B test');
  if (op === 'remove') return fix('Leave it out', path.slice(path.lastIndexOf('.') + 1));
  if (path === 'notification.receipts') return fix('Ask for receipts');
  return fix(path.endsWith('.mutable_content') ? 'Let the app load it' : 'Mend it');
}

/** What is missing from a new draft, in plain words; undefined for any other fault. */
function firstWords(path: string, notification: JsonObject): string | undefined {
  if (path === 'notification.to' && notification['to'] === undefined) return 'Choose the recipients.';
  return path === 'notification.payload' && isUnwritten(notification)
    ? 'Write a title or a text.'
    : undefined;
}

function warningWords({ code, path, message }: PreviewWarning, notification: JsonObject): string {
  if (code === 'picture_not_shown') return 'No iPhone shows the picture until the app may load it.';
  if (code === 'same_variants' && variantsOf(notification).length === 2) {
    return 'Both variants are the same: write the second one.';
  }
  return `${nameOf(path, notification)} ${message}.`;
}

/** A whole variant is shown by what it has for all languages. */
function variantAt(path: string): Section | undefined {
  const index = /^notification\.variants\[(\d+)\]$/.exec(path)?.[1];
  return index === undefined ? undefined : { variant: Number(index), language: undefined };
}

function memberIn(path: string): string {
  return /^notification\.([a-z_]+)/.exec(path)?.[1] ?? '';
}

/** The subject of the API's words about a path: 'Badge in German', 'The weight of B', 'payload.gcm'. */
function nameOf(path: string, notification: JsonObject): string {
  const section = sectionAt(path);
  const key = /\.(?:payload|localized\.[^.]+)\.(.+)$/.exec(path)?.[1];
  if (section !== undefined) {
    const words = sectionWords(notification, section);
    const label = key === undefined ? undefined : (LABELS[key] ?? key);
    if (isSameSection(section, DEFAULT)) return label ?? 'The message';
    return label === undefined ? capital(words) : `${label} in ${words}`;
  }
  const [, index, member] = /^notification\.variants\[(\d+)\](?:\.(.+))?$/.exec(path) ?? [];
  if (index !== undefined) {
    const name = variantName(notification, Number(index));
    return member === undefined ? capital(name) : `The ${member} of ${name}`;
  }
  return MEMBERS[memberIn(path)]?.[1] ?? path.replace(/^notification\./, '');
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface Cell {
  section: Section;
  /** `empty`: it leaves everything to other sections. */
  state: 'empty' | 'written' | 'warning' | 'fault';
}

/**
 * The content as a matrix.
 * @returns a row per language, a cell per variant, first what all have; undefined for a content with one section
 */
export function matrixOf(notification: JsonObject, faults: readonly Fault[]): Cell[][] | undefined {
  const cellOf = (section: Section): Cell => {
    const found = faults.filter((one) => one.section && isSameSection(one.section, section));
    const worst = (['fault', 'warning'] as const).find((kind) => found.some((one) => one.kind === kind));
    const isEmpty = Object.keys(valuesOf(notification, section)).length === 0;
    return { section, state: worst ?? (isEmpty ? 'empty' : 'written') };
  };
  const variants = [undefined, ...variantsOf(notification).keys()];
  const languages = [undefined, ...languagesOf(notification)];
  if (variants.length * languages.length === 1) return undefined;
  return languages.map((language) => variants.map((variant) => cellOf({ variant, language })));
}
