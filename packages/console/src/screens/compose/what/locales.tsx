/** The languages of the recipients, and which translation each language gets. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../../frame/api.ts';
import { Curl } from '../../../kit/developer/curl.tsx';
import { formatNumber, formatShare, languageName, plural } from '../../../kit/format.ts';
import { useDebounced, useResource, Waiting } from '../../../kit/states.tsx';
import { Table } from '../../../kit/table.tsx';
import type { AudienceLocales, LocaleCount } from '../../../replies.ts';
import { languagesOf } from '../draft/content-sections.ts';
import type { JsonObject } from '../draft/members.ts';
import { canonicalTag } from '../draft/languages.ts';
import { countCall } from '../draft/target.ts';

const QUIET_MS = 300;

interface LocalesProps {
  notification: JsonObject;
  /**
   * Adds a language, in the form, which asks only once somebody unfolds it, because the answer takes the database a moment;
   * undefined on the last page, whose line is the answer.
   */
  onAdd?: (tag: string) => void;
}

export function LocalesOfAudience(props: LocalesProps) {
  const { notification, onAdd } = props;
  const [isOpen, setOpen] = useState(false);
  const question = isOpen || onAdd === undefined ? questionOf(notification) : '';
  const late = useDebounced(question, QUIET_MS);
  const request: ApiCall = { method: 'POST', path: '/v6/notifications/locales', body: late };
  const { state, reload } = useResource(
    async (signal) => (late === '' ? undefined : call<AudienceLocales>(request, signal)),
    [late],
  );
  const { data } = state.value;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{onAdd === undefined && data ? sentence(data) : 'Languages of the recipients'}</summary>
      {isOpen && (
        <div class="stack compose-more">
          {question === '' ? (
            <p class="muted">Choose the recipients first.</p>
          ) : (
            <Waiting of={state.value} retry={reload} what="Counting the languages" />
          )}
          {data !== undefined && (
            <>
              <p role="status">{sentence(data)}</p>
              <Found found={data} {...props} />
              <Curl call={request} />
            </>
          )}
        </div>
      )}
    </details>
  );
}

/** @returns the body of the call; '' while the recipients are not chosen */
function questionOf(notification: JsonObject): string {
  const { to } = notification;
  if (countCall(to) === undefined) return '';
  const translations = languagesOf(notification).filter((tag) => canonicalTag(tag) !== undefined);
  return JSON.stringify({ to, translations });
}

function sentence({ devices, untranslated, is_sample: isSample }: AudienceLocales): string {
  if (devices === 0) return 'Nobody would get it.';
  const [get, them] = untranslated === 1 ? ['gets', 'it'] : ['get', 'them'];
  const some = `${plural(untranslated, 'device')} of ${formatNumber(devices)} ${get} the default`;
  const words =
    untranslated === 0
      ? 'Every device has a translation'
      : `${some} (${formatShare(untranslated, devices)}), because no translation fits ${them}`;
  return `${words}.${isSample ? ' These are a random sample of the recipients.' : ''}`;
}

function Found({ found, notification, onAdd }: LocalesProps & { found: AudienceLocales }) {
  const { locales, devices } = found;
  return (
    <div class="table-frame">
      <Table
        label="Languages of the recipients"
        columns={[
          { title: 'Language', cell: ({ locale }) => <LocaleName locale={locale} /> },
          {
            title: 'Devices',
            align: 'end',
            cell: ({ devices: number }) => (
              <span>
                {formatNumber(number)} <span class="muted">{formatShare(number, devices)}</span>
              </span>
            ),
          },
          {
            title: 'Gets',
            cell: (one) => <Gets {...one} languages={languagesOf(notification)} onAdd={onAdd} />,
          },
        ]}
        rows={locales}
        keyOf={({ locale }) => String(locale)}
      />
    </div>
  );
}

function LocaleName({ locale }: { locale: string | null }) {
  if (locale === null) return <span class="muted">none registered</span>;
  const name = languageName(locale);
  return (
    <span>
      <bdi>{name}</bdi> {name !== locale && <bdi class="muted">{locale}</bdi>}
    </span>
  );
}

function Gets(props: LocaleCount & { languages: readonly string[]; onAdd: LocalesProps['onAdd'] }) {
  const { locale, translation, languages, onAdd } = props;
  if (translation !== null) return <bdi>{translation}</bdi>;
  const tag = languageTag(locale ?? '');
  return (
    <span>
      <span class="muted">default</span>{' '}
      {onAdd !== undefined && tag !== undefined && !languages.includes(tag) && (
        <button
          type="button"
          class="plain compose-link"
          aria-label={`Add the language ${tag}`}
          onClick={() => onAdd(tag)}>
          Add {tag}
        </button>
      )}
    </span>
  );
}

/** The language that readers of the locale read: `de_AT` → `de`, `zh_TW` → `zh-Hant`. */
function languageTag(locale: string): string | undefined {
  const tag = canonicalTag(locale);
  if (tag === undefined) return undefined;
  const { language } = new Intl.Locale(tag);
  const { script } = new Intl.Locale(tag).maximize();
  return script === new Intl.Locale(language).maximize().script ? language : `${language}-${script}`;
}
