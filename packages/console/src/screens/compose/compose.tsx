/** Writes a notification: as a form or as JSON, with its size and its appearance on phones, a dry run and a test. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { place, setQuery } from '../../frame/router.ts';
import { may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { useCount } from './count.tsx';
import { DeliveryForm } from './form/delivery-form.tsx';
import {
  draft,
  EMPTY_TEXT,
  newKey,
  openDraft,
  removed,
  replaced,
  replaceText,
  undoRemoval,
  undoReplacement,
  written,
} from './draft/draft.ts';
import { Faults } from './faults.tsx';
import { Follow, type Sent } from './follow.tsx';
import { chooseSection } from './message/chosen-section.ts';
import { JsonEditor } from './form/json-editor.tsx';
import { type JsonObject, withMember } from './draft/members.ts';
import { MessageForm } from './message/message-form.tsx';
import { PreviewColumn } from './preview-column.tsx';
import { type ShownPreview, usePreview } from './preview.ts';
import { Review } from './review.tsx';
import { useStart } from './start.ts';
import { TargetForm } from './form/target-form.tsx';
import { isForMany, targetOf } from './draft/target.ts';
import { createCall, TestDialog } from './try-it.tsx';
import { VariantsForm } from './variants/variants-form.tsx';
import type { CreatedNotification } from '../../replies.ts';

export function Compose(): Content {
  openDraft();
  const start = useStart(place.value.query);
  const notification = written();
  const isReview = place.value.query.get('step') === 'review' && notification !== undefined;
  useFocusOnStep(isReview);
  if (start.error !== undefined) return <Failure error={start.error} />;
  if (start.isLoading) return null;
  if (isReview) return <Review notification={notification} />;
  return <Editor notification={notification} />;
}

/** Between the form and the last page, a screen reader begins at the heading again. */
function useFocusOnStep(isReview: boolean): void {
  const last = useRef(isReview);
  useEffect(() => {
    if (last.current === isReview) return;
    last.current = isReview;
    document.querySelector<HTMLElement>('.compose h1')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [isReview]);
}

function Editor({ notification }: { notification: JsonObject | undefined }): Content {
  const asJson = place.value.query.get('view') === 'json' || notification === undefined;
  const preview = usePreview(draft.value.text);
  const counted = useCount(notification?.['to']);
  const [sent, setSent] = useState<Sent | undefined>(undefined);
  const { refusal } = preview;
  return (
    <div class="stack compose">
      <div class="screen-head">
        <h1 tabindex={-1}>New notification</h1>
        <div class="buttons">
          <ViewSwitch
            label="Edit it as"
            views={[
              { view: 'form', label: 'Form', disabled: notification === undefined },
              { view: 'json', label: 'JSON' },
            ]}
            shown={asJson ? 'json' : 'form'}
            onChoose={(view) => setQuery({ view: view === 'json' ? view : undefined }, 'push')}
          />
          <button
            type="button"
            class="quiet"
            disabled={draft.value.text === EMPTY_TEXT}
            onClick={() => replaceText(EMPTY_TEXT)}>
            Start over
          </button>
        </div>
      </div>
      <Replaced />
      <Removed />
      <div class="compose-columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          {asJson || notification === undefined ? (
            <JsonEditor />
          ) : (
            <>
              <TargetForm notification={notification} refusal={refusal} counted={counted} />
              <MessageForm notification={notification} refusal={refusal} />
              <VariantsForm notification={notification} refusal={refusal} />
              <DeliveryForm
                notification={notification}
                refusal={refusal}
                isForMany={isForMany(targetOf(notification['to']))}
              />
            </>
          )}
          <Faults refusal={refusal} notification={notification} onChoose={asJson ? undefined : chooseSection} />
          {preview.error !== undefined && <Failure error={preview.error} />}
          {notification !== undefined && <Buttons notification={notification} preview={preview} onSent={setSent} />}
          {sent !== undefined && <Follow {...sent} />}
        </form>
        <PreviewColumn notification={notification} preview={preview} />
      </div>
    </div>
  );
}

/** After the whole draft was replaced, the previous one can be restored. */
function Replaced(): Content {
  if (replaced.value === undefined) return null;
  return (
    <p class="compose-replaced" role="status">
      The previous draft was replaced.
      <button type="button" class="quiet" onClick={undoReplacement}>
        Restore it
      </button>
    </p>
  );
}

/**
 * After a language, a variant or the test was removed, it can be restored. The button stays in sight while the page
 * scrolls.
 */
function Removed(): Content {
  if (removed.value === undefined) return null;
  return (
    <p class="compose-removed" role="status">
      <span>
        Removed: <bdi>{removed.value.name}</bdi>.
      </span>
      <button type="button" class="quiet" onClick={undoRemoval}>
        Undo
      </button>
    </p>
  );
}

function Buttons(props: { notification: JsonObject; preview: ShownPreview; onSent: (sent: Sent) => void }): Content {
  const { notification, preview, onSent } = props;
  const [isTesting, setTesting] = useState(false);
  const dryRun = useDryRunCall(notification);
  const isRefused = preview.refusal !== undefined || !preview.isCurrent;
  const isCompiled = preview.compiled !== undefined && !preview.isOutdated;
  return (
    <>
      <div class="buttons compose-buttons">
        <button type="button" class="primary" disabled={isRefused} onClick={() => setQuery({ step: 'review' }, 'push')}>
          Review and send …
        </button>
        <button
          type="button"
          disabled={!isCompiled || !may('sender')}
          title={may('sender') ? undefined : 'Your role in this app does not allow this: it needs the role sender.'}
          onClick={() => setTesting(true)}>
          Send a test …
        </button>
        <ActionButton
          label="Dry run"
          call={dryRun}
          needs="sender"
          disabled={isRefused ? 'It has faults.' : undefined}
          onDone={({ id }: CreatedNotification) => onSent({ id, what: 'The dry run' })}
        />
      </div>
      {isTesting && <TestDialog notification={notification} onSent={onSent} onClose={() => setTesting(false)} />}
    </>
  );
}

/** Each dry run is a notification of its own, so each change of the draft gets a new key. */
function useDryRunCall(notification: JsonObject) {
  const last = useRef({ text: '', key: '' });
  const { text } = draft.value;
  if (last.current.text !== text) last.current = { text, key: newKey() };
  return createCall(withMember(notification, 'dry_run', true), last.current.key);
}
