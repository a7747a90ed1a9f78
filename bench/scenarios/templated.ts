/** Measures bulk notifications whose payload depends on the device, of A/B variants, localised and templated, against one that all devices get alike. */
import { createBenchApp } from '../support/app.ts';
import { ALONE, sendBulk, ONE_WORKER, possible, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { mean } from '../support/statistics.ts';

const PLAIN = { payload: { title: 'Order 4711', alert: 'It is on its way.', order_id: 4711 } };
/** Half of the devices are French, and the others get `payload`. */
const LOCALISED = { ...PLAIN, localized: { fr: { title: 'Commande 4711', alert: 'Elle est en route.' } } };
const TEMPLATED = {
  payload: {
    title: 'Hi {{ custom.first_name | default: "there" }}!',
    alert: 'Your {{ custom.plan | upcase }} is on its way.',
    url: 'app://users/{{ device.user_id }}',
  },
  template: true,
};
const VARIANTS = {
  ...PLAIN,
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1, payload: { title: 'Your parcel' } },
  ],
};
const CONTENTS = {
  'two variants': VARIANTS,
  localised: LOCALISED,
  templated: TEMPLATED,
  'localised and templated': { ...LOCALISED, ...TEMPLATED },
};
/** Bulk notifications with each content per round. */
const BULK_SENDS = 2;

export async function templated(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'both', devices: context.devices });
  for (let round = 1; round <= context.runs; round++) {
    for (const deployment of possible(context, ALONE, ONE_WORKER)) {
      context.say(`round ${round} of ${context.runs}: ${deployment.name}`);
      const carillon = await startCarillon(context, { database, deployment });
      await carillon.warmUp(app);
      const rate = async (content: object): Promise<number> => {
        const backEnd = carillon.backEnd(app);
        const { pushesPerSecond } = await sendBulk(context, backEnd, {
          to: '*',
          devices: app.devices,
          content,
        });
        return pushesPerSecond;
      };
      const plain: number[] = [];
      const others = Object.entries(CONTENTS).map(([name, content]) => ({ name, content }));
      const rates = new Map<string, number[]>(others.map(({ name }) => [name, []]));
      // Alternating, so that changes in the machine's speed affect all alike.
      for (let number = 0; number < BULK_SENDS; number++) {
        plain.push(await rate(PLAIN));
        for (const { name, content } of others) rates.get(name)?.push(await rate(content));
      }
      plain.push(await rate(PLAIN));
      const baseline = `${deployment.name}: plain`;
      context.figures.add({ name: baseline, unit: 'pushes/s', value: mean(plain) });
      for (const [name, measured] of rates) {
        context.figures.add({
          name: `${deployment.name}: ${name}`,
          unit: 'pushes/s',
          value: mean(measured),
          against: [baseline],
        });
      }
      await carillon.stop();
    }
  }
}
