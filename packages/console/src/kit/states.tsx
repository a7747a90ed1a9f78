/** What a part of a screen shows while it has nothing else: loading, failed, empty. */
import { ApiFailure } from '../frame/api.ts';
import type { Content } from './content.ts';
import { Icon, type IconName } from './icon.tsx';
import type { Resource } from './resource.ts';

/** The outlines of what is to come. They appear only after a moment, so that quick replies do not flicker. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{what} …</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** Until there are data: why the last request failed, else that it is on its way. Nothing once there are some and all is well. */
export function Waiting(props: { of: Resource<unknown>; retry: () => void; what?: string }) {
  const { of: resource, retry, what } = props;
  if (resource.error !== undefined) return <Failure error={resource.error} retry={retry} />;
  return resource.data === undefined && <Loading {...(what !== undefined && { what })} />;
}

/** A refusal in the API's words. Several faults are listed; a single one is in the sentence already. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{message}</p>
        {failure !== undefined && failure.details.length > 1 && (
          <ul>
            {failure.details.map(({ path, message: fault }) => (
              <li key={path}>
                {path !== '' && (
                  <>
                    <code>{path}</code>{' '}
                  </>
                )}
                {fault}
              </li>
            ))}
          </ul>
        )}
        {failure?.requestId !== undefined && failure.status >= 500 && (
          <p class="muted">
            Request <code>{failure.requestId}</code>
          </p>
        )}
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Says why there is nothing, and what to do next. */
export function Empty(props: { title: string; icon?: IconName; children?: Content }) {
  const { title, icon = 'search', children } = props;
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
