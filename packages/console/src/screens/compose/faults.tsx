import { isObject } from '../../filter-builder/language.ts';
import type { Content } from '../../kit/content.ts';
import { DEFAULT, isSameSection, type Section, sectionAt } from './draft/content-sections.ts';
import type { JsonObject } from './draft/members.ts';
import type { Refusal } from '../../tray/preview-reply.ts';

/** @returns the first step of a new draft in plain words; undefined for any other fault */
function firstStep(path: string, draft: JsonObject | undefined): string | undefined {
  if (path === 'notification.to' && draft?.['to'] === undefined) return 'Choose the recipients.';
  const payload = draft?.['payload'];
  const isEmpty = payload === undefined || (isObject(payload) && Object.keys(payload).length === 0);
  return path === 'notification.payload' && isEmpty ? 'Write a title or a text.' : undefined;
}

/**
 * The faults for which creation would refuse the draft, in its words.
 * @param props.notification the draft; undefined if its JSON cannot be read
 * @param props.onChoose shows the section of the content that a fault is about
 */
export function Faults(props: {
  refusal: Refusal | undefined;
  notification: JsonObject | undefined;
  onChoose?: ((section: Section) => void) | undefined;
}): Content {
  const { refusal, notification, onChoose } = props;
  if (refusal === undefined) return null;
  const { details = [], error } = refusal;
  return (
    <section class="card compose-faults" role="status" aria-label="Faults">
      <h2>Before it can be sent</h2>
      <ul>
        {details.length === 0 ? (
          <li>{error}</li>
        ) : (
          details.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {firstStep(path, notification) ?? <Fault path={path} message={message} onChoose={onChoose} />}
            </li>
          ))
        )}
      </ul>
    </section>
  );
}

function Fault(props: { path: string; message: string; onChoose: ((section: Section) => void) | undefined }): Content {
  const { path, message, onChoose } = props;
  const name = <code>{path.replace(/^notification\./, '')}</code>;
  const section = sectionAt(path);
  const isLink = onChoose !== undefined && section !== undefined && !isSameSection(section, DEFAULT);
  return (
    <>
      {path !== '' &&
        (isLink ? (
          <button type="button" class="plain compose-link" onClick={() => onChoose(section)}>
            {name}
          </button>
        ) : (
          name
        ))}{' '}
      <bdi>{message}</bdi>
    </>
  );
}
