/** Suggestions for fields of the builder, from the app's own devices. Without an answer there are none, and everything can be typed. */
import { call } from '../frame/api.ts';
import { addressOf } from '../frame/router.ts';
import { formatNumber, languageName } from '../kit/format.ts';
import { useDebounced, useResource } from '../kit/states.tsx';
import type { SuggestedNames, SuggestedValues } from '../replies.ts';
import type { Option } from './combobox.tsx';

const TYPING_MS = 150;
const PREFIX_MAX = 100;

/**
 * What is found for a text, once nobody has typed for a moment; an older request is aborted.
 * @param text undefined asks for nothing
 * @returns the last answer; while another one is on its way, it is that of another text
 */
export function useFound<Found>(
  find: (text: string, signal: AbortSignal) => Promise<Found>,
  text: string | undefined,
): Found | undefined {
  const late = useDebounced(text ?? '\n', TYPING_MS);
  const isAsked = late !== '\n' && text !== undefined;
  const { state } = useResource(
    async (signal) => (isAsked ? find(late, signal) : undefined),
    [late, isAsked],
  );
  return state.value.error === undefined ? state.value.data : undefined;
}

/**
 * The most common values of an attribute.
 * @param name of a filter; undefined, or one whose values are not suggested: none
 * @param text undefined while the field does not have the focus
 */
export function useValues(name: string | undefined, text: string | undefined): readonly Option[] {
  const isAsked = name !== undefined && !/^(?:user_|device_id|custom\.[a-z]+\.$)/.test(name);
  const found = useFound(
    async (prefix, signal) => ask<SuggestedValues>('values', prefix, signal, name),
    isAsked ? text : undefined,
  );
  return (found?.values ?? [])
    .map(({ value, ...counted }) => ({
      key: String(value),
      label: String(value),
      detail: [meaningOf(name, String(value)), devicesOf(counted)].filter(Boolean).join(' · '),
    }))
    .filter(({ label }) => begins(label, text));
}

/** The custom attributes and events of the app, as filters name them. @param text undefined asks for nothing */
export function useNames(text: string | undefined): readonly (Option & { name: string })[] {
  const found = useFound(async (prefix, signal) => ask<SuggestedNames>('names', prefix, signal), text);
  return (found?.names ?? [])
    .map(({ name, ...counted }) => {
      const label = name.replace(/^(?:custom\.[a-z]+|events)\./, '');
      return { key: name, name, label, detail: devicesOf(counted) };
    })
    .filter(({ label }) => begins(label, text));
}

async function ask<Reply>(what: string, prefix: string, signal: AbortSignal, name?: string) {
  const path = addressOf(`/v6/filters/${what}`, { name, prefix: prefix.slice(0, PREFIX_MAX) });
  return call<Reply>({ method: 'GET', path }, signal);
}

function begins(text: string, prefix = ''): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function devicesOf(counted: { device_count: number; is_exact: boolean }): string {
  return `${counted.is_exact ? '' : 'about '}${formatNumber(counted.device_count)}`;
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region' });

/** 'Canadian French' for the locale fr_CA, 'France' for the country FR; '' for what explains itself. */
function meaningOf(name: string | undefined, value: string): string {
  if (name === 'locale') return languageName(value);
  return name === 'country' && /^[A-Z]{2}$/.test(value) ? (REGIONS.of(value) ?? '') : '';
}
