/** An API process and two workers on a Redis Cluster (or Valkey) of three nodes, of which they are given one. */
import { Redis } from 'ioredis';
import { beforeAll, expect, test, vi } from 'vitest';
import { useCluster } from '../processes/cluster.ts';
import { allAccepted, onceEach } from '../processes/fan-out.ts';
import { expectOneOutcomeEach, sendSingles } from '../processes/singles/singles.ts';
import { expectToStop } from '../support/processes.ts';
import { describeWithOwnRedis, type OwnRedis } from '../support/redis.ts';

const CLUSTER = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
const SLOTS = 16_384;
const DEVICES = 4_000;
const SINGLES = 200;
const timeout = 150_000;

describeWithOwnRedis({ name: 'on the first node', timeout }, (one) => twoMore(one), CLUSTER);

function twoMore(one: OwnRedis): void {
  describeWithOwnRedis(
    'a second',
    (two) => {
      describeWithOwnRedis('and a third', (three) => onNodes([one, two, three]), CLUSTER);
    },
    CLUSTER,
  );
}

function onNodes(nodes: readonly OwnRedis[]): void {
  beforeAll(async () => joinNodes(nodes));
  const cluster = useCluster({
    get url() {
      return String(nodes[0]?.url).replace('redis:', 'redis+cluster:');
    },
    clear: async () => undefined,
  });

  test('bulk and single pushes are sent once each, and a cluster of Redis is never taken for away', async () => {
    const { simulator } = cluster;
    const large = await cluster.makeApp(DEVICES);
    const small = await cluster.makeApp(SINGLES);
    const workers = await cluster.startWorkers(2);
    const { id } = await large.backend.notify('*');
    const singles = sendSingles(small.devices, async () => small.backend);
    expect(await large.backend.untilEnded(id, timeout)).toMatchObject(allAccepted(DEVICES));
    expect(simulator.pushesByToken(id)).toEqual(onceEach(large.devices));
    await singles.answered();
    const check = { backend: small.backend, simulator, devices: small.devices, created: singles.created };
    expect(await expectOneOutcomeEach(check)).toBe(0);

    const nodesWithKeys = (await Promise.all(nodes.map(countKeys))).filter((keys) => keys > 0);
    expect(nodesWithKeys).toHaveLength(1); // all keys are in one slot
    const lines = [cluster.api, ...workers].flatMap((running) => running.lines());
    expect(lines.filter((line) => /"kind":"queue_(away|error)"/.test(line))).toEqual([]);
    await expectToStop(...workers);
  });
}

async function joinNodes(nodes: readonly OwnRedis[]): Promise<void> {
  const clients = nodes.map(({ url }) => new Redis(url));
  const [first] = nodes;
  if (first === undefined) return;
  const { hostname, port } = new URL(first.url);
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [index, client] of clients.entries()) {
    await client.cluster('ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
    if (index > 0) await client.cluster('MEET', hostname, Number(port));
  }
  await vi.waitFor(
    async () => {
      for (const client of clients) {
        const state = await client.cluster('INFO');
        expect(state).toContain('cluster_state:ok');
        expect(state).toContain(`cluster_known_nodes:${nodes.length}`);
      }
    },
    { timeout: 30_000, interval: 100 },
  );
  for (const client of clients) client.disconnect();
}

async function countKeys({ url }: OwnRedis): Promise<number> {
  const client = new Redis(url);
  try {
    return await client.dbsize();
  } finally {
    client.disconnect();
  }
}
