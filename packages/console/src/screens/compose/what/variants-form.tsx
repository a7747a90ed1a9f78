/** An A/B test: its variants with their weights, the share that gets nothing, and how devices are assigned. */
import { TextField } from '../../../kit/form.tsx';
import { formatShare } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { Icon } from '../../../kit/icon.tsx';
import { change, remove } from '../draft/draft.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from '../draft/members.ts';
import {
  sharesOf,
  VARIANTS_MAX,
  VARIANTS_MIN,
  variantName,
  variantsOf,
  withNewVariant,
  withoutTest,
  withoutVariant,
  withVariant,
} from '../draft/variants.ts';
import { chosenSection, chooseSection } from './chosen-section.ts';
import { faultAt } from '../preview.ts';
import { PercentField } from './percent-field.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

export function VariantsForm(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const { variants: written } = notification;
  const variants = variantsOf(notification);
  if (written === undefined && notification['hold_out'] === undefined && notification['experiment'] === undefined) {
    return null;
  }
  const { ofVariants: shares, holdOut } = sharesOf(notification);
  const fault = faultAt(refusal, 'variants');
  const set = (name: string, value: unknown): void => change(withMember(notification, name, value));
  return (
    <section class="compose-fields compose-part" aria-labelledby="variants-heading">
      <h2 id="variants-heading">A/B test</h2>
      {written === undefined ? null : variants.length === 0 ? (
        <p class="fault">These variants can be changed only as JSON{fault !== undefined && <>: the list {fault}</>}.</p>
      ) : (
        <>
          <p class="hint">
            Each variant goes to a share of the recipients, by its weight. All devices of a user get the same one. Put
            the one that you use today first: the others are compared with it.
          </p>
          <div class="compose-variants">
            {variants.map((variant, index) => (
              <VariantRow
                key={index}
                notification={notification}
                refusal={refusal}
                variant={variant}
                index={index}
                share={shares[index]}
              />
            ))}
          </div>
          {fault !== undefined && <p class="fault">The variants {fault}.</p>}
        </>
      )}
      <div class="buttons">
        {variants.length > 0 && (
          <button
            type="button"
            disabled={variants.length >= VARIANTS_MAX}
            title={variants.length >= VARIANTS_MAX ? `A test has at most ${VARIANTS_MAX} variants.` : undefined}
            onClick={() => change(withNewVariant(notification))}>
            <Icon name="plus" />
            Add a variant
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            remove(withoutTest(notification), 'the A/B test');
            chooseSection({ ...chosenSection(notification), variant: undefined });
          }}>
          Send without a test
        </button>
      </div>
      <div class="compose-pair">
        <PercentField
          label="Hold-out, in percent"
          share={notification['hold_out']}
          hint={
            holdOut > 0
              ? `${formatShare(holdOut, 1)} of the recipients get nothing, as a comparison.`
              : 'The share of the recipients that gets nothing, as a comparison.'
          }
          error={faultAt(refusal, 'hold_out')}
          onInput={(share) => set('hold_out', share)}
        />
        <TextField
          label="Experiment"
          code
          value={fieldText(notification['experiment'])}
          hint="Notifications with the same name, variants and weights give each user the same variant again."
          error={faultAt(refusal, 'experiment')}
          onInput={(name) => set('experiment', name || undefined)}
        />
      </div>
    </section>
  );
}

function VariantRow(props: {
  notification: JsonObject;
  refusal: Refusal | undefined;
  variant: JsonObject;
  index: number;
  share: number | undefined;
}): Content {
  const { notification, refusal, variant, index, share } = props;
  const name = variantName(notification, index);
  const isLast = variantsOf(notification).length <= VARIANTS_MIN;
  const set = (key: string, value: unknown): void =>
    change(withVariant(notification, index, (present) => withMember(present, key, value)));
  const of = (key: string) => ({
    value: fieldText(variant[key]),
    error: faultAt(refusal, `variants[${index}].${key}`),
  });
  return (
    <div role="group" aria-label={`Variant ${index + 1}`}>
      <TextField {...of('name')} label="Name" code onInput={(text) => set('name', text)} />
      <TextField {...of('weight')} label="Weight" type="number" onInput={(text) => set('weight', numberFrom(text))} />
      <output class="compose-share">{share === undefined ? '–' : formatShare(share, 1)}</output>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove ${name}`}
        disabled={isLast}
        title={isLast ? 'A test has at least two variants.' : undefined}
        onClick={() => {
          remove(withoutVariant(notification, index), name);
          chooseSection({ ...chosenSection(notification), variant: undefined });
        }}>
        <Icon name="cross" />
      </button>
    </div>
  );
}
