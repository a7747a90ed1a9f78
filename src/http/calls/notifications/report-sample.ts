/** The example of a report in the API document: an A/B test whose receipts are sampled. */
import { noOutcomes, NOTIFICATION_ID, STARTED_AT } from '../samples.ts';

export const notificationReport = {
  notification_id: NOTIFICATION_ID,
  reasons: [
    {
      outcome: 'rejected',
      reason: 'PayloadTooLarge',
      explanation: 'The payload is over Apple’s limit of 4,096 bytes. Shorten it.',
      devices: 312,
    },
  ],
  uncounted: 0,
  funnel: {
    sample: 0.1,
    accepted: 230_000,
    asked: 23_000,
    received: { reported: 20_700, share: 0.9, low: 0.8963, high: 0.9036, devices: 207_000 },
    shown: { reported: 18_400, share: 0.8, low: 0.7951, high: 0.8049, devices: 184_000 },
    opened: 11_500,
  },
  variants: {
    groups: [
      {
        name: 'A',
        share: 0.45,
        devices: 108_140,
        outcomes: { ...noOutcomes, accepted: 103_500, no_token: 4_640 },
        received: { devices: 9_315, of: 10_350, share: 0.9, low: 0.8941, high: 0.9056 },
        shown: { devices: 8_280, of: 10_350, share: 0.8, low: 0.7922, high: 0.8076 },
        opened: { devices: 5_175, of: 103_500, share: 0.05, low: 0.0487, high: 0.0513 },
      },
      {
        name: 'B',
        share: 0.45,
        devices: 107_860,
        outcomes: { ...noOutcomes, accepted: 103_200, no_token: 4_660 },
        received: { devices: 9_288, of: 10_320, share: 0.9, low: 0.8941, high: 0.9056 },
        shown: { devices: 8_256, of: 10_320, share: 0.8, low: 0.7922, high: 0.8076 },
        opened: { devices: 6_192, of: 103_200, share: 0.06, low: 0.0586, high: 0.0615 },
      },
      {
        name: 'hold_out',
        share: 0.1,
        devices: 24_000,
        outcomes: { ...noOutcomes, dropped: 22_990, no_token: 1_010 },
        received: null,
        shown: null,
        opened: null,
      },
    ],
    comparisons: [
      {
        variant: 'B',
        with: 'A',
        rate: 'opened',
        difference: 0.01,
        low: 0.008,
        high: 0.012,
        may_be_chance: false,
        sentence:
          'B was opened on 6.0% of its devices, A on 5.0%. That is unlikely to be chance: the difference is between +0.8 and +1.2 ' +
          'percentage points, so B is opened more.',
      },
    ],
  },
  curve: { step_seconds: 1, points: [{ at: STARTED_AT, devices: 24_000 }] },
};
