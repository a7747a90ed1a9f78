/** Which part of the content is being written. It is in the address: `?language=fr&variant=2`. */
import { place, setQuery } from '../../../frame/router.ts';
import type { JsonObject } from '../draft/members.ts';
import { languagesOf, type Part } from '../draft/content-parts.ts';
import { variantsOf } from '../draft/variants.ts';

/** @returns the part in the address, as far as the notification has it */
export function chosenPart(notification: JsonObject): Part {
  const { query } = place.value;
  const variant = Number(query.get('variant')) - 1;
  const language = query.get('language') ?? undefined;
  return {
    variant: variantsOf(notification)[variant] === undefined ? undefined : variant,
    language: languagesOf(notification).find((tag) => tag === language),
  };
}

export function choosePart({ variant, language }: Part): void {
  setQuery({ variant: variant === undefined ? undefined : variant + 1, language });
}
