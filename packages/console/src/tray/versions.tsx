/** The payloads of a notification, by language and by variant of an A/B test: one of them is shown at a time. */
import { useState } from 'preact/hooks';
import { Select } from '../kit/form.tsx';
import { languageName } from '../kit/format.ts';
import { Trays } from './tray.tsx';
import type { CompiledNotification, CompiledVersion } from '../replies.ts';

/** @returns all versions; the first is the default of the first variant */
export function versionsOf(compiled: CompiledNotification): readonly [CompiledVersion, ...CompiledVersion[]] {
  const { apns, fcm, web_push, variant, versions } = compiled;
  return [{ apns, fcm, web_push, variant, locale: null }, ...versions];
}

/**
 * @param wanted undefined means the first variant, and null the default language
 * @returns the version with that variant and language; the default of the variant if it has no such language
 */
export function versionFor(
  compiled: CompiledNotification,
  wanted: { variant: string | null | undefined; locale: string | null | undefined },
): CompiledVersion {
  const all = versionsOf(compiled);
  const variant = wanted.variant ?? compiled.variant;
  const ofVariant = all.filter((version) => version.variant === variant);
  return ofVariant.find(({ locale }) => locale === wanted.locale) ?? ofVariant[0] ?? all[0];
}

export function versionWords({ locale, variant }: Pick<CompiledVersion, 'locale' | 'variant'>): string {
  const language = locale === null ? 'the default language' : languageName(locale);
  if (variant === null) return language;
  return locale === null ? `variant ${variant}` : `${language}, variant ${variant}`;
}

/** The trays of a notification, with a choice of language and variant if it has several. */
export function VersionTrays(
  props: Omit<Parameters<typeof Trays>[0], 'compiled'> & { compiled: CompiledNotification },
) {
  const { compiled, ...shared } = props;
  const all = versionsOf(compiled);
  const [wanted, setWanted] = useState({ variant: all[0].variant, locale: all[0].locale });
  const shown = versionFor(compiled, wanted);
  const variants = [...new Set(all.map(({ variant }) => variant ?? ''))];
  const locales = all.filter(({ variant }) => variant === shown.variant).map(({ locale }) => locale ?? '');
  return (
    <div class="stack">
      {all.length > 1 && (
        <div class="toolbar">
          {variants.length > 1 && (
            <Select
              label="Variant"
              value={shown.variant ?? ''}
              options={variants.map((name) => ({ value: name, label: name }))}
              onChange={(variant) => setWanted({ ...wanted, variant })}
            />
          )}
          {locales.length > 1 && (
            <Select
              label="Language"
              value={shown.locale ?? ''}
              options={locales.map((tag) => ({
                value: tag,
                label: tag === '' ? 'Default' : `${languageName(tag)} (${tag})`,
              }))}
              onChange={(locale) => setWanted({ ...wanted, locale: locale || null })}
            />
          )}
        </div>
      )}
      <Trays compiled={{ ...shown, notification_id: compiled.notification_id }} {...shared} />
    </div>
  );
}
