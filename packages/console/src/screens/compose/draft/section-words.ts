/** Names of the sections of the content, for people. */
import { languageName } from '../../../kit/format.ts';
import type { JsonObject } from './members.ts';
import type { Section } from './content-sections.ts';
import { variantName, variantsOf } from './variants.ts';

/** 'the default', 'French', 'variant B', 'French of variant B' */
export function sectionWords(notification: JsonObject, { variant, language }: Section): string {
  const tongue = language === undefined ? undefined : languageName(language);
  if (variant === undefined) {
    const isTest = variantsOf(notification).length > 0;
    return tongue === undefined ? (isTest ? 'all variants' : 'the default') : tongue;
  }
  const name = `variant ${variantName(notification, variant).replace(/^variant /, '')}`;
  return tongue === undefined ? name : `${tongue} of ${name}`;
}
