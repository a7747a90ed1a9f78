/** Writes a notification in three steps, whom, what and when, or as JSON, with its size and its appearance on phones. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { place, setQuery } from '../../frame/router.ts';
import { may } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { Bar, GuardedButton } from './bar.tsx';
import { useCount } from './count.tsx';
import { draft, EMPTY_TEXT, openDraft, removed, replaced, replaceText } from './draft/draft.ts';
import { undoRemoval, undoReplacement, written } from './draft/draft.ts';
import type { JsonObject } from './draft/members.ts';
import { isForMany, targetOf } from './draft/target.ts';
import { Follow, type Sent } from './follow.tsx';
import { JsonEditor } from './json-editor.tsx';
import { PreviewColumn } from './preview-column.tsx';
import { reasonAgainst, type ShownPreview, usePreview } from './preview.ts';
import { Review } from './review.tsx';
import { useStart } from './start.ts';
import { StepPanel, StepRail } from './steps.tsx';
import { TestDialog } from './try-it.tsx';
import { MessageForm } from './what/message-form.tsx';
import { WhenForm } from './when/when-form.tsx';
import { TargetForm } from './target-form.tsx';

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
  const { refusal, faults } = preview;
  const shown = notification && { notification, refusal, faults };
  return (
    <div class="compose">
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
      {replaced.value !== undefined && (
        <Undone label="Restore it" onUndo={undoReplacement}>
          The previous draft was replaced.
        </Undone>
      )}
      {removed.value !== undefined && (
        <Undone label="Undo" onUndo={undoRemoval}>
          Removed: <bdi>{removed.value.name}</bdi>.
        </Undone>
      )}
      <div class="compose-columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          {asJson || shown === undefined ? (
            <JsonEditor />
          ) : (
            <>
              <StepRail {...shown} />
              <StepPanel step="whom">
                <TargetForm {...shown} />
              </StepPanel>
              <StepPanel step="what">
                <MessageForm {...shown} />
              </StepPanel>
              <StepPanel step="when">
                <WhenForm {...shown} isForMany={isForMany(targetOf(shown.notification['to']))} />
              </StepPanel>
            </>
          )}
        </form>
        <PreviewColumn notification={notification} preview={preview} />
      </div>
      {notification !== undefined && (
        <Bar counted={counted} preview={preview} followed={sent !== undefined && <Follow {...sent} />}>
          <Buttons notification={notification} preview={preview} onSent={setSent} />
        </Bar>
      )}
    </div>
  );
}

/** What was replaced or removed can be brought back. The button stays in sight while the page scrolls. */
function Undone(props: { label: string; onUndo: () => void; children: Content }): Content {
  const { label, onUndo, children } = props;
  return (
    <p class="compose-undone" role="status">
      <span>{children}</span>
      <button type="button" class="quiet" onClick={onUndo}>
        {label}
      </button>
    </p>
  );
}

function Buttons(props: { notification: JsonObject; preview: ShownPreview; onSent: (sent: Sent) => void }): Content {
  const { notification, preview, onSent } = props;
  const [isTesting, setTesting] = useState(false);
  const role = may('sender') ? undefined : 'Your role in this app does not allow this: it needs the role sender.';
  const against = reasonAgainst(preview);
  const isCompiled = preview.compiled !== undefined && !preview.isOutdated;
  return (
    <>
      <GuardedButton why={role ?? (isCompiled ? undefined : against)} onClick={() => setTesting(true)}>
        Test
      </GuardedButton>
      <GuardedButton kind="primary" why={against} onClick={() => setQuery({ step: 'review' }, 'push')}>
        Review
      </GuardedButton>
      {isTesting && (
        <TestDialog notification={notification} against={against} onSent={onSent} onClose={() => setTesting(false)} />
      )}
    </>
  );
}
