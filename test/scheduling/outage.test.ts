import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openOutage } from '../../src/scheduling/outage.ts';

describe('An outage', () => {
  let isWell = false;
  let probes = 0;
  const over: { durationMs: number; errors: number }[] = [];
  const open = (quietMs?: number) =>
    openOutage({
      probe: async () => {
        probes += 1;
        if (!isWell) throw new Error('still away');
      },
      probeEveryMs: 1_000,
      ...(quietMs !== undefined && { quietMs }),
      clock: () => new Date(),
      onOver: (reported) => over.push(reported),
    });

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    isWell = false;
    probes = 0;
    over.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  it('an outage begins with its first error alone, and ends once a try succeeds, with its length and errors', async () => {
    const outage = open();
    expect(outage.isOn).toBe(false);
    expect(outage.report('refused')).toBe(true);
    expect(outage.report('cut')).toBe(false);
    expect(outage).toMatchObject({ isOn: true, message: 'refused' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect({ probes, over }).toEqual({ probes: 5, over: [] });
    isWell = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(over).toEqual([{ durationMs: 6_000, errors: 2 }]);
    expect(outage).toMatchObject({ isOn: false, message: '' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(probes).toBe(6);
    expect(outage.report('refused')).toBe(true);
    outage.close();
  });

  it('an outage lasts as long as errors come, whatever a try says', async () => {
    const outage = open(3_000);
    isWell = true;
    for (let second = 0; second < 10; second++) {
      outage.report('too many clients');
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(over).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(over).toMatchObject([{ errors: 10 }]);
    outage.close();
  });

  it('an outage that is closed reports nothing and tries nothing', async () => {
    const outage = open();
    outage.report('refused');
    isWell = true;
    outage.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect({ probes, over, reported: outage.report('refused') }).toEqual({
      probes: 0,
      over: [],
      reported: false,
    });
  });
});
