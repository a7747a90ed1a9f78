/** Suggestions for fields of the builder, from the app's own devices. Without an answer there are none, and everything can be typed. */
import { useEffect, useState } from 'preact/hooks';
import { call } from '../frame/api.ts';
import { formatNumber, languageName } from '../kit/format.ts';
import { useDebounced } from '../kit/resource.ts';
import type { SuggestedNames, SuggestedValues } from '../replies.ts';
import type { Option } from './combobox.tsx';

const TYPING_MS = 150;

/**
 * What is found for a text, once nobody has typed for a moment; an older request is aborted.
 * @param find asks with a text and the rest of what the answer depends on
 * @param text undefined asks for nothing
 * @returns the last answer; while another one is on its way, it is that of another text
 */
export function useFound<Found>(
  find: (text: string, signal: AbortSignal) => Promise<Found>,
  text: string | undefined,
): Found | undefined {
  const late = useDebounced(text ?? '\n', TYPING_MS);
  const [found, setFound] = useState<Found | undefined>(undefined);
  useEffect(() => {
    if (late === '\n' || text === undefined) return undefined;
    const controller = new AbortController();
    find(late, controller.signal).then(setFound, () => controller.signal.aborted || setFound(undefined));
    return () => controller.abort();
  }, [late, text === undefined]);
  return found;
}

/**
 * The most common values of an attribute.
 * @param name of a filter; undefined, or one whose values are not suggested: none
 * @param text undefined while the field does not have the focus
 */
export function useValues(name: string | undefined, text: string | undefined): readonly Option[] {
  const isAsked = name !== undefined && !/^(?:user_|device_id|custom\.[a-z]+\.$)/.test(name);
  const found = useFound(
    async (prefix, signal) =>
      call<SuggestedValues>({ method: 'GET', path: pathOf('values', { name, prefix }) }, signal),
    isAsked ? text : undefined,
  );
  return (found?.values ?? [])
    .map(({ value, ...counted }) => ({
      key: String(value),
      label: String(value),
      detail: [meaningOf(name, String(value)), devicesOf(counted)].filter(Boolean).join(' · '),
    }))
    .filter(({ label }) => begins(label, text ?? ''));
}

/** The custom attributes and events of the app, as filters name them. @param text undefined asks for nothing */
export function useNames(text: string | undefined): readonly (Option & { name: string })[] {
  const found = useFound(
    async (prefix, signal) =>
      call<SuggestedNames>({ method: 'GET', path: pathOf('names', { prefix }) }, signal),
    text,
  );
  return (found?.names ?? []).flatMap(({ name, ...counted }) => {
    const label = name.replace(/^(?:custom\.[a-z]+|events)\./, '');
    return begins(label, text ?? '') ? [{ key: name, name, label, detail: devicesOf(counted) }] : [];
  });
}

function pathOf(what: string, { prefix, ...query }: Record<string, string | undefined>): string {
  const given = Object.entries({ ...query, ...(prefix !== '' && { prefix }) });
  const parameters = given.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value.slice(0, 100)]],
  );
  return `/v6/filters/${what}?${new URLSearchParams(parameters).toString()}`;
}

function begins(text: string, prefix: string): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function devicesOf(counted: { device_count: number; is_exact: boolean }): string {
  const { device_count: count, is_exact: isExact } = counted;
  return `${isExact ? '' : 'about '}${formatNumber(count)}`;
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region' });

/** 'Canadian French' for the locale fr_CA, 'France' for the country FR; '' for what explains itself. */
function meaningOf(name: string | undefined, value: string): string {
  if (name === 'locale') return languageName(value);
  if (name !== 'country' || !/^[A-Z]{2}$/.test(value)) return '';
  return REGIONS.of(value) ?? '';
}
