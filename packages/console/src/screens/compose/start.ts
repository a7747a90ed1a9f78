/** Begins a draft from parameters of the address: the ids of a notification or of recipients, or `?filters=<JSON>`. */
import { readFilters } from '../../filter-builder/filters-text.ts';
import { isObject } from '../../filter-builder/language.ts';
import { call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { useResource } from '../../kit/states.tsx';
import { draft, EMPTY_TEXT, replaceText, textFrom, written } from './draft/draft.ts';
import { type JsonObject, withMember } from './draft/members.ts';

const PARAMETERS = ['copy', 'device', 'user', 'audience', 'filters'];

const NOT_COPIED = ['deliver_at', 'deliver_at_local', 'dry_run', 'max_recipients'];

/** The parameters are removed from the address once the draft has begun, so that a reload keeps the draft as it was edited. */
export function useStart(query: URLSearchParams): { isLoading: boolean; error: unknown } {
  const copied = query.get('copy');
  const target = targetIn(query);
  const isStarting = copied !== null || target !== undefined;
  const { state } = useResource(
    async (signal) => {
      if (copied !== null) replaceText(textFrom(await copyOf(copied, signal)));
      if (target !== undefined) aimAt(target);
      const begun = Object.fromEntries(PARAMETERS.map((name) => [name, undefined]));
      // Whom it is for is known.
      if (isStarting) setQuery({ ...begun, ...(target !== undefined && { step: 'what' }) });
    },
    [copied, JSON.stringify(target)],
  );
  const { error } = state.value;
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
