import { expect, test } from 'vitest';
import { inOrder } from '../../src/scheduling/in-order.ts';

test('calls that are done early wait for earlier calls, and a failure for none', async () => {
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const ended: string[] = [];
  const call = inOrder(
    async (index: number) => gates[index]?.promise ?? Promise.reject(new Error('no gate')),
  );
  const calls = gates.map(async (_, index) =>
    call(index).then(
      (result) => void ended.push(`result ${result}`),
      () => void ended.push(`failure ${index}`),
    ),
  );
  gates[3]?.resolve(3);
  gates[2]?.reject(new Error('broken'));
  gates[1]?.resolve(1);
  await new Promise(setImmediate);
  expect(ended).toEqual(['failure 2']);
  gates[0]?.resolve(0);
  await Promise.all(calls);
  expect(ended).toEqual(['failure 2', 'result 0', 'result 1', 'result 3']);
});
