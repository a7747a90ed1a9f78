/** An A/B test: its variants with their weights, the share that gets nothing, and how devices are assigned. */
import { Card } from '../../../kit/card.tsx';
import { formatShare } from '../../../kit/format.ts';
import { AddButton, RemoveButton } from '../../../filter-builder/buttons.tsx';
import { change, remove } from '../draft/draft.ts';
import type { JsonObject } from '../draft/members.ts';
import {
  sharesOf,
  VARIANTS_MAX,
  VARIANTS_MIN,
  variantName,
  variantsOf,
  withNewVariant,
  withoutTest,
  withoutVariant,
} from '../draft/variants.ts';
import { chooseSection, MemberText, useWritten } from '../form.tsx';

export function VariantsForm() {
  const { notification, section, faultAt } = useWritten();
  const variants = variantsOf(notification);
  if (['variants', 'hold_out', 'experiment'].every((name) => notification[name] === undefined)) return null;
  const { ofVariants: shares, holdOut } = sharesOf(notification);
  const fault = faultAt('variants');
  const removeFrom = (left: JsonObject, name: string): void => {
    remove(left, name);
    chooseSection({ ...section, variant: undefined });
  };
  return (
    <Card title="A/B test">
      {notification['variants'] !== undefined && variants.length === 0 && (
        <p class="fault">These variants can be changed only as JSON{fault !== undefined && <>: the list {fault}</>}.</p>
      )}
      {variants.length > 0 && (
        <>
          <p class="hint">
            Each variant goes to a share of the recipients, by its weight. All devices of a user get the same one. Put
            the one that you use today first: the others are compared with it.
          </p>
          <div class="stack">
            {shares.map((share, index) => {
              const name = variantName(notification, index);
              const isLast = variants.length <= VARIANTS_MIN;
              return (
                <div key={index} class="toolbar compose-variant" role="group" aria-label={`Variant ${index + 1}`}>
                  <MemberText at={`variants[${index}].name`} label="Name" code />
                  <MemberText at={`variants[${index}].weight`} label="Weight" type="number" />
                  <output class="compose-share">{share === undefined ? '–' : formatShare(share, 1)}</output>
                  <RemoveButton
                    what={name}
                    why={isLast ? 'A test has at least two variants.' : undefined}
                    onClick={() => removeFrom(withoutVariant(notification, index), name)}
                  />
                </div>
              );
            })}
          </div>
          {fault !== undefined && <p class="fault">The variants {fault}.</p>}
        </>
      )}
      <div class="buttons">
        {variants.length > 0 && (
          <AddButton
            why={variants.length >= VARIANTS_MAX ? `A test has at most ${VARIANTS_MAX} variants.` : undefined}
            onClick={() => change(withNewVariant(notification))}>
            Add a variant
          </AddButton>
        )}
        <button type="button" class="quiet" onClick={() => removeFrom(withoutTest(notification), 'the A/B test')}>
          Send without a test
        </button>
      </div>
      <div class="compose-pair">
        <MemberText
          at="hold_out"
          type="percent"
          label="Hold-out, in percent"
          hint={
            holdOut > 0
              ? `${formatShare(holdOut, 1)} of the recipients get nothing, as a comparison.`
              : 'The share of the recipients that gets nothing, as a comparison.'
          }
        />
        <MemberText
          at="experiment"
          label="Experiment"
          code
          hint="Notifications with the same name, variants and weights give each user the same variant again."
        />
      </div>
    </Card>
  );
}
