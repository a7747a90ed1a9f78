/** Names of the parts of the content, for people. */
import { languageName } from '../../../kit/format.ts';
import type { JsonObject } from './members.ts';
import type { Part } from './content-parts.ts';
import { variantName, variantsOf } from './variants.ts';

/** 'the default', 'French', 'variant B', 'French of variant B' */
export function partWords(notification: JsonObject, { variant, language }: Part): string {
  const tongue = language === undefined ? undefined : languageName(language);
  if (variant === undefined) {
    const isTest = variantsOf(notification).length > 0;
    return tongue === undefined ? (isTest ? 'all variants' : 'the default') : tongue;
  }
  const name = `variant ${variantName(notification, variant).replace(/^variant /, '')}`;
  return tongue === undefined ? name : `${tongue} of ${name}`;
}
