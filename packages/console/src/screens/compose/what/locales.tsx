/** The languages of the recipients, and which translation each language gets. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../../frame/api.ts';
import { Curl } from '../../../kit/developer/curl.tsx';
import { formatNumber, formatShare, languageName, plural } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { useDebounced, useResource } from '../../../kit/resource.ts';
import { Waiting } from '../../../kit/states.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import type { JsonObject } from '../draft/members.ts';
import { canonicalTag } from '../draft/languages.ts';
import { languagesOf } from '../draft/content-sections.ts';
import { countCall } from '../draft/target.ts';
import type { AudienceLocales, LocaleCount } from '../../../replies.ts';

const QUIET_MS = 300;
/** More are listed on demand. */
const LISTED = 8;

type OnAdd = ((tag: string) => void) | undefined;

/**
 * One line that unfolds. @param props.onAdd adds a language, in the form, which asks only once somebody unfolds it, because
 * the answer takes the database a moment; undefined on the last page, whose line is the answer
 */
export function LocalesOfAudience({ notification, onAdd }: { notification: JsonObject; onAdd?: OnAdd }): Content {
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
        <div class="compose-fields compose-more">
          {question === '' ? (
            <p class="muted">Choose the recipients first.</p>
          ) : (
            <Waiting of={state.value} retry={reload} what="Counting the languages" />
          )}
          {data !== undefined && (
            <>
              <p role="status">{sentence(data)}</p>
              <Found found={data} columns={columnsFor(data.devices, languagesOf(notification), onAdd)} />
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
  const one = untranslated === 1;
  const words =
    untranslated === 0
      ? 'Every device has a translation'
      : `${plural(untranslated, 'device')} of ${formatNumber(devices)} ${one ? 'gets' : 'get'} the default (${formatShare(untranslated, devices)}), because no translation fits ${one ? 'it' : 'them'}`;
  return `${words}.${isSample ? ' These are a random sample of the recipients.' : ''}`;
}

function Found(props: { found: AudienceLocales; columns: readonly Column<LocaleCount>[] }): Content {
  const { found, columns } = props;
  const [isWhole, setWhole] = useState(false);
  const { locales } = found;
  return (
    <>
      <div class="table-frame">
        <Table
          label="Languages of the recipients"
          columns={columns}
          rows={isWhole ? locales : locales.slice(0, LISTED)}
          keyOf={({ locale }: LocaleCount) => String(locale)}
        />
      </div>
      {locales.length > LISTED && (
        <div>
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${locales.length}`}
          </button>
        </div>
      )}
    </>
  );
}

function columnsFor(devices: number, languages: readonly string[], onAdd: OnAdd): Column<LocaleCount>[] {
  return [
    {
      title: 'Language',
      cell: ({ locale }) =>
        locale === null ? (
          <span class="muted">none registered</span>
        ) : (
          <span>
            <bdi>{languageName(locale)}</bdi> <bdi class="muted">{languageName(locale) === locale ? '' : locale}</bdi>
          </span>
        ),
    },
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
      cell: ({ locale, translation }) => {
        if (translation !== null) return <bdi>{translation}</bdi>;
        const tag = languageTag(locale ?? '');
        if (onAdd === undefined || tag === undefined || languages.includes(tag))
          return <span class="muted">default</span>;
        return (
          <span>
            <span class="muted">default</span>{' '}
            <button
              type="button"
              class="plain compose-link"
              aria-label={`Add the language ${tag}`}
              onClick={() => onAdd(tag)}>
              Add {tag}
            </button>
          </span>
        );
      },
    },
  ];
}

/** The language that readers of the locale read: `de_AT` → `de`, `zh_TW` → `zh-Hant`. */
function languageTag(locale: string): string | undefined {
  const tag = canonicalTag(locale);
  if (tag === undefined) return undefined;
  const { language } = new Intl.Locale(tag);
  const { script } = new Intl.Locale(tag).maximize();
  return script === new Intl.Locale(language).maximize().script ? language : `${language}-${script}`;
}
