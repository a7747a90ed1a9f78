/** The languages of the recipients, and which translation each language gets. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../../frame/api.ts';
import { formatNumber, formatShare, languageName, plural } from '../../../kit/format.ts';
import { Waiting } from '../../../kit/states.tsx';
import { Table } from '../../../kit/table.tsx';
import type { AudienceLocales, LocaleCount } from '../../../replies.ts';
import { languagesOf } from '../draft/content-sections.ts';
import type { JsonObject } from '../draft/members.ts';
import { canonicalTag } from '../draft/languages.ts';
import { countCall } from '../draft/target.ts';
import { useLateReply } from '../preview.tsx';

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
  const request = isOpen || onAdd === undefined ? localesCall(notification) : undefined;
  const read = useLateReply<AudienceLocales>(request);
  const { data } = read;
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{onAdd === undefined && data ? sentence(data) : 'Languages of the recipients'}</summary>
      {isOpen && (
        <div class="stack">
          {request === undefined ? (
            <p class="muted">Choose the recipients first.</p>
          ) : (
            <Waiting of={{ ...read, request }} what="Counting the languages" />
          )}
          {data !== undefined && (
            <>
              <p role="status">{sentence(data)}</p>
              <div class="table-frame">
                <Table
                  label="Languages of the recipients"
                  columns={[
                    { title: 'Language', cell: ({ locale }) => <LocaleName locale={locale} /> },
                    {
                      title: 'Devices',
                      align: 'end',
                      cell: ({ devices }) => `${formatNumber(devices)} (${formatShare(devices, data.devices)})`,
                    },
                    { title: 'Gets', cell: (one) => <Gets {...one} {...props} /> },
                  ]}
                  rows={data.locales}
                  keyOf={({ locale }) => String(locale)}
                />
              </div>
            </>
          )}
        </div>
      )}
    </details>
  );
}

/** @returns undefined while the recipients are not chosen */
function localesCall(notification: JsonObject): ApiCall | undefined {
  const { to } = notification;
  const translations = languagesOf(notification).filter((tag) => canonicalTag(tag) !== undefined);
  const body = { to, translations };
  return countCall(to) && { method: 'POST', path: '/v6/notifications/locales', body };
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

/** 'Canadian French fr-CA' */
export function LocaleName({ locale }: { locale: string | null }) {
  if (locale === null) return <span class="muted">none registered</span>;
  const name = languageName(locale);
  return (
    <span>
      <bdi>{name}</bdi> {name !== locale && <bdi class="muted">{locale}</bdi>}
    </span>
  );
}

function Gets({ locale, translation, notification, onAdd }: LocaleCount & LocalesProps) {
  if (translation !== null) return <bdi>{translation}</bdi>;
  const tag = languageTag(locale ?? '');
  return (
    <span>
      <span class="muted">default</span>{' '}
      {onAdd !== undefined && tag !== undefined && !languagesOf(notification).includes(tag) && (
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
