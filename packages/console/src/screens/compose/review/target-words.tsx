import { call } from '../../../frame/api.ts';
import { appAddress } from '../../../frame/session.ts';
import type { Content } from '../../../kit/content.ts';
import { JsonView } from '../../../kit/developer/json-view.tsx';
import { useResource } from '../../../kit/resource.ts';
import { readFilters } from '../../../filter-builder/filters-text.ts';
import { filtersWords } from '../../../filter-builder/words.ts';
import { isForDevelopment, targetOf } from '../draft/target.ts';

/** The target in words, with a link if it has a page. */
export function TargetWords({ to }: { to: unknown }): Content {
  const target = targetOf(to);
  switch (target.kind) {
    case 'everyone':
      return (
        <>
          <strong>Everyone</strong>: all devices of the app
        </>
      );
    case 'audience':
      return <AudienceWords id={target.id} />;
    case 'filters':
      if (isForDevelopment(target)) return <strong>Development devices</strong>;
      return <FilterWords filters={target.filters} />;
    case 'device':
      return (
        <>
          The device{' '}
          <a href={appAddress(`devices/${encodeURIComponent(target.id)}`)}>
            <code>{target.id}</code>
          </a>
        </>
      );
    case 'user':
      return (
        <>
          The devices of the user{' '}
          <code>
            <bdi>{target.id}</bdi>
          </code>
        </>
      );
    case 'none':
      return 'Nobody yet';
    case 'other':
      return <JsonView value={to} label="Target" />;
  }
}

function AudienceWords({ id }: { id: string }): Content {
  const { state } = useResource(
    (signal) =>
      call<{ audience: { name: string } }>({ method: 'GET', path: `/v6/audiences/${encodeURIComponent(id)}` }, signal),
    [id],
  );
  const name = state.value.data?.audience.name;
  return (
    <>
      The audience{' '}
      <a href={appAddress(`audiences/${encodeURIComponent(id)}`)}>
        <bdi>{name ?? id}</bdi>
      </a>
    </>
  );
}

function FilterWords({ filters }: { filters: readonly unknown[] }): Content {
  const read = readFilters(JSON.stringify(filters));
  if (read.filters === undefined) return <JsonView value={filters} label="Filters" />;
  return (
    <>
      Devices where <bdi>{filtersWords(read.filters)}</bdi>
    </>
  );
}
