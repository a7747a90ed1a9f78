/** The languages of the recipients, and which translation each language gets. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../../frame/api.ts';
import { Curl } from '../../../kit/developer/curl.tsx';
import { formatNumber, formatShare, languageName, plural } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { useDebounced, useResource } from '../../../kit/resource.ts';
import { Failure, Loading } from '../../../kit/states.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import type { JsonObject } from '../draft/members.ts';
import { canonicalTag } from '../draft/languages.ts';
import { languagesOf } from '../draft/content-sections.ts';
import { countCall } from '../draft/target.ts';
import type { AudienceLocales, LocaleCount } from '../../../replies.ts';

const QUIET_MS = 300;
/** More are listed on demand. */
const LISTED = 8;

/** @returns the body of the call; '' while the recipients are not chosen */
function questionOf(notification: JsonObject): string {
  const { to } = notification;
  if (countCall(to) === undefined) return '';
  const translations = languagesOf(notification).filter((tag) => canonicalTag(tag) !== undefined);
  return JSON.stringify({ to, translations });
}

/** In the form: folded until somebody asks, because the answer takes the database a moment. */
export function LocalesOfAudience(props: { notification: JsonObject; onAdd: (tag: string) => void }): Content {
  const { notification, onAdd } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Languages of the recipients</summary>
      {isOpen && (
        <div class="compose-fields compose-more">
          <Locales notification={notification} onAdd={onAdd} />
        </div>
      )}
    </details>
  );
}

/** On the last page. */
export function LocalesCard({ notification }: { notification: JsonObject }): Content {
  return (
    <section class="card compose-fields" aria-labelledby="locales-heading">
      <h2 id="locales-heading">Languages of the recipients</h2>
      <Locales notification={notification} />
    </section>
  );
}

function Locales(props: { notification: JsonObject; onAdd?: (tag: string) => void }): Content {
  const { notification, onAdd } = props;
  const late = useDebounced(questionOf(notification), QUIET_MS);
  const request: ApiCall = { method: 'POST', path: '/v6/notifications/locales', body: late };
  const { state, reload } = useResource(
    async (signal) => (late === '' ? undefined : call<AudienceLocales>(request, signal)),
    [late],
  );
  const { data, error } = state.value;
  if (late === '') return <p class="muted">Choose the recipients first.</p>;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (data === undefined) return <Loading what="Counting the languages" />;
  return <Found found={data} languages={languagesOf(notification)} onAdd={onAdd} call={request} />;
}

function Found(props: {
  found: AudienceLocales;
  languages: readonly string[];
  onAdd: ((tag: string) => void) | undefined;
  call: ApiCall;
}): Content {
  const { found, languages, onAdd, call: request } = props;
  const [isWhole, setWhole] = useState(false);
  const { devices, is_sample: isSample, untranslated, locales } = found;
  if (devices === 0) return <p>Nobody would get it.</p>;
  const shown = isWhole ? locales : locales.slice(0, LISTED);
  return (
    <>
      <p role="status">
        <strong>
          {untranslated === 0
            ? 'Every device has a translation'
            : `${plural(untranslated, 'device')} of ${formatNumber(devices)} ${untranslated === 1 ? 'gets' : 'get'} the default`}
        </strong>
        {untranslated > 0 &&
          ` (${formatShare(untranslated, devices)}), because no translation fits ${untranslated === 1 ? 'it' : 'them'}`}
        .{isSample && ` These are a random sample of the recipients.`}
      </p>
      <div class="table-frame">
        <Table
          label="Languages of the recipients"
          columns={columnsFor(devices, languages, onAdd)}
          rows={shown}
          keyOf={({ locale }: LocaleCount) => String(locale)}
        />
      </div>
      <div class="buttons">
        {locales.length > LISTED && (
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${locales.length}`}
          </button>
        )}
        <Curl call={request} />
      </div>
    </>
  );
}

function columnsFor(
  devices: number,
  languages: readonly string[],
  onAdd: ((tag: string) => void) | undefined,
): Column<LocaleCount>[] {
  return [
    {
      title: 'Language',
      cell: ({ locale }) => {
        if (locale === null) return <span class="muted">none registered</span>;
        const name = languageName(locale);
        return (
          <span>
            {name !== locale && (
              <>
                <bdi>{name}</bdi>{' '}
              </>
            )}
            <code class="muted">
              <bdi>{locale}</bdi>
            </code>
          </span>
        );
      },
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
        const tag = locale === null ? undefined : languageTag(locale);
        if (translation !== null) return <bdi>{translation}</bdi>;
        const isMissing = onAdd !== undefined && tag !== undefined && !languages.includes(tag);
        return (
          <span>
            <span class="muted">default</span>
            {isMissing && (
              <>
                {' '}
                <button
                  type="button"
                  class="plain compose-link"
                  aria-label={`Add the language ${tag}`}
                  onClick={() => onAdd(tag)}>
                  Add {tag}
                </button>
              </>
            )}
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
