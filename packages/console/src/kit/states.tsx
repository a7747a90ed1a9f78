/** What a part of a screen shows while it has nothing else: loading, failed, empty. */
import { ApiFailure } from '../frame/api.ts';
import type { Content } from './content.ts';
import { Icon } from './icon.tsx';

/** Appears only after a moment, so quick replies do not flicker. */
export function Loading({ what = 'Loading' }: { what?: string }): Content {
  return (
    <div class="state loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {what} …
    </div>
  );
}

/** A refusal in the API's words. Several faults are listed; a single one is in the sentence already. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }): Content {
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
export function Empty({ title, children }: { title: string; children?: Content }): Content {
  return (
    <div class="state empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
