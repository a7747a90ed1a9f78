/** Which section of the content is being written. It is in the address: `?language=fr&variant=2`. */
import { place, setQuery } from '../../../frame/router.ts';
import type { JsonObject } from '../draft/members.ts';
import { languagesOf, type Section } from '../draft/content-sections.ts';
import { variantsOf } from '../draft/variants.ts';

/** @returns the section in the address, as far as the notification has it */
export function chosenSection(notification: JsonObject): Section {
  const { query } = place.value;
  const variant = Number(query.get('variant')) - 1;
  const language = query.get('language') ?? undefined;
  return {
    variant: variantsOf(notification)[variant] === undefined ? undefined : variant,
    language: languagesOf(notification).find((tag) => tag === language),
  };
}

export function chooseSection({ variant, language }: Section): void {
  setQuery({ variant: variant === undefined ? undefined : variant + 1, language });
}
