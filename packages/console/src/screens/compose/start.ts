/**
 * Begins a draft from the parameters of the address: `?copy=<notification id>`, `?device=<id>`, `?user=<id>`,
 * `?audience=<id>`, `?filters=<JSON>`.
 */
import { useEffect, useState } from 'preact/hooks';
import { readFilters } from '../../filter-builder/filters-text.ts';
import { isObject } from '../../filter-builder/language.ts';
import { call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { draft, EMPTY_TEXT, replaceText, textFrom, written } from './draft/draft.ts';
import { type JsonObject, withMember } from './draft/members.ts';

const NOT_COPIED = ['deliver_at', 'deliver_at_local', 'dry_run', 'max_recipients'];

/** The parameter is removed from the address once the draft has begun, so that a reload keeps the draft as it was edited. */
export function useStart(query: URLSearchParams): { isLoading: boolean; error: unknown } {
  const [error, setError] = useState<unknown>(undefined);
  const copied = query.get('copy');
  const target = targetIn(query);
  const isStarting = copied !== null || target !== undefined;
  useEffect(() => {
    if (!isStarting) return undefined;
    const controller = new AbortController();
    const begin = async (): Promise<void> => {
      setError(undefined);
      if (copied !== null) replaceText(textFrom(await copyOf(copied, controller.signal)));
      if (target !== undefined) aimAt(target);
      const begun = {
        copy: undefined,
        device: undefined,
        user: undefined,
        audience: undefined,
        filters: undefined,
      };
      // Whom it is for is known.
      setQuery({ ...begun, ...(target !== undefined && { step: 'what' }) });
    };
    begin().catch((failure: unknown) => {
      if (!controller.signal.aborted) setError(failure);
    });
    return () => controller.abort();
  }, [copied, JSON.stringify(target)]);
  return { isLoading: isStarting && error === undefined, error };
}

function targetIn(query: URLSearchParams): unknown {
  const [device, user, audience] = ['device', 'user', 'audience'].map((name) => query.get(name));
  if (device) return { device_id: device };
  if (user) return { user_id: user };
  if (audience) return { audience };
  return readFilters(query.get('filters') ?? '').filters;
}

async function copyOf(id: string, signal: AbortSignal): Promise<JsonObject> {
  const path = `/v6/notifications/${encodeURIComponent(id)}`;
  const { notification } = await call<{ notification: unknown }>({ method: 'GET', path }, signal);
  if (!isObject(notification)) return {};
  const copy = NOT_COPIED.reduce((rest, name) => withMember(rest, name, undefined), notification);
  return copy['sensitive'] ? withoutHidden(copy) : copy;
}

/** What the API has in the place of a sensitive text; hidden lists have it as their only item. */
const HIDDEN = '[hidden]';

/** Without the members whose values are hidden: they have to be written again. */
function withoutHidden(object: JsonObject): JsonObject {
  const shown = Object.entries(object).filter(
    ([, value]) => value !== HIDDEN && JSON.stringify(value) !== `["${HIDDEN}"]`,
  );
  const within = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(within) : isObject(value) ? withoutHidden(value) : value;
  return Object.fromEntries(shown.map(([name, value]) => [name, within(value)]));
}

/** Sets the target of an empty draft; any other draft is put aside. */
function aimAt(to: unknown): void {
  const present = draft.value.text === EMPTY_TEXT ? written() : undefined;
  replaceText(textFrom({ to, ...(present ?? { payload: {} }) }));
}
