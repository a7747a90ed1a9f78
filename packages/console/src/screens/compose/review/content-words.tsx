/** The parts of a draft's content, for the last page: languages, templates, variants, receipts. */
import { isObject } from '../../../filter-builder/language.ts';
import { formatShare, languageName, listed, plural } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import type { JsonObject } from '../draft/members.ts';
import { languagesOf } from '../draft/content-sections.ts';
import { LocalesOfAudience } from '../what/locales.tsx';
import { sharesOf, variantName, variantsOf } from '../draft/variants.ts';

/**
 * Names and values of a list of facts. @param props.devices how many devices it is for; undefined while they are
 * counted
 */
export function ContentFacts(props: { notification: JsonObject; devices: number | undefined }): Content {
  const { notification, devices } = props;
  const { template, receipts } = notification;
  const languages = languagesOf(notification);
  return (
    <>
      {languages.length > 0 && (
        <>
          <dt>Languages</dt>
          <dd>
            The default and {plural(languages.length, 'translation')}:{' '}
            <bdi>{listed(languages.map((tag) => languageName(tag)))}</bdi>
            <LocalesOfAudience notification={notification} />
          </dd>
        </>
      )}
      {template !== undefined && template !== false && (
        <>
          <dt>Values in texts</dt>
          <dd>
            {isObject(template) && template['on_missing'] === 'skip'
              ? 'A device that lacks one gets nothing'
              : 'A device that lacks one gets the text without it'}
          </dd>
        </>
      )}
      {variantsOf(notification).length > 0 && <TestFacts notification={notification} devices={devices} />}
      {receipts !== undefined && (
        <>
          <dt>Receipts</dt>
          <dd>{sampleWords(receipts)} asked to report that they received and showed it</dd>
        </>
      )}
    </>
  );
}

function TestFacts({ notification, devices }: { notification: JsonObject; devices: number | undefined }): Content {
  const { ofVariants, holdOut } = sharesOf(notification);
  const { experiment } = notification;
  const words = (share: number | undefined): string => {
    if (share === undefined) return '–';
    const about = devices === undefined ? '' : `, about ${plural(Math.round(share * devices), 'device')}`;
    return `${formatShare(share, 1)}${about}`;
  };
  return (
    <>
      <dt>A/B test</dt>
      <dd>
        <ul>
          {ofVariants.map((share, index) => (
            <li key={index}>
              <strong>
                <bdi>{variantName(notification, index)}</bdi>
              </strong>{' '}
              {words(share)}
            </li>
          ))}
          {holdOut > 0 && (
            <li>
              <strong>Nothing</strong> (hold-out) {words(holdOut)}
            </li>
          )}
        </ul>
        {typeof experiment === 'string' && (
          <p>
            Users are assigned by the experiment{' '}
            <code>
              <bdi>{experiment}</bdi>
            </code>
            , as in its other notifications.
          </p>
        )}
      </dd>
    </>
  );
}

function sampleWords(receipts: unknown): string {
  const sample = isObject(receipts) ? receipts['sample'] : undefined;
  return typeof sample === 'number' && sample < 1 ? `${formatShare(sample, 1)} of the devices are` : 'All devices are';
}
