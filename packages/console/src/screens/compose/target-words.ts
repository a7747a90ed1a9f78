import { call } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { html, type Content } from '../../kit/html.ts';
import { JsonView } from '../../kit/json-view.ts';
import { useResource } from '../../kit/resource.ts';
import { readFilters } from '../../filter-builder/filters-text.ts';
import { filtersWords } from '../../filter-builder/words.ts';
import { isForDevelopment, targetOf } from './draft/target.ts';

/** The target in words, with a link if it has a page. */
export function TargetWords({ to }: { to: unknown }): Content {
  const target = targetOf(to);
  switch (target.kind) {
    case 'everyone':
      return html`<strong>Everyone</strong>: all devices of the app`;
    case 'audience':
      return html`<${AudienceWords} id=${target.id} />`;
    case 'filters':
      if (isForDevelopment(target)) return html`<strong>Development devices</strong>`;
      return html`<${FilterWords} filters=${target.filters} />`;
    case 'device':
      return html`The device${' '}
        <a href=${appAddress(`devices/${encodeURIComponent(target.id)}`)}><code>${target.id}</code></a>`;
    case 'user':
      return html`The devices of the user <code><bdi>${target.id}</bdi></code>`;
    case 'none':
      return 'Nobody yet';
    case 'other':
      return html`<${JsonView} value=${to} label="Target" />`;
  }
}

function AudienceWords({ id }: { id: string }): Content {
  const { state } = useResource(
    (signal) =>
      call<{ audience: { name: string } }>(
        { method: 'GET', path: `/v6/audiences/${encodeURIComponent(id)}` },
        signal,
      ),
    [id],
  );
  const name = state.value.data?.audience.name;
  return html`The audience${' '}
    <a href=${appAddress(`audiences/${encodeURIComponent(id)}`)}><bdi>${name ?? id}</bdi></a>`;
}

function FilterWords({ filters }: { filters: readonly unknown[] }): Content {
  const read = readFilters(JSON.stringify(filters));
  if (read.filters === undefined) return html`<${JsonView} value=${filters} label="Filters" />`;
  return html`Devices where <bdi>${filtersWords(read.filters)}</bdi>`;
}
