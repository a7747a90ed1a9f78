import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { buildMetricsServer, buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { fencesOf, readPage, ROOT } from '../docs/markdown.ts';
import { testSecret } from '../support/secret.ts';
import { dockerfileText, stagesOf } from './dockerfile.ts';
import { knownCommands } from './known-commands.ts';
import { metricsByName } from './metrics-in.ts';
import { readYaml } from './read-yaml.ts';
import { faultsOf, SECRETS, unknownNames } from './settings-given.ts';

const FOLDER = 'deploy/kubernetes';
const text = z.string();
const labelsSchema = z.record(text, text);

const probeSchema = z.looseObject({ httpGet: z.strictObject({ path: text, port: text }) });
const containerSchema = z.looseObject({
  image: z.literal('carillon'),
  args: z.array(text),
  env: z.array(z.strictObject({ name: text, value: text })).default([]),
  envFrom: z.array(
    z.union([
      z.strictObject({ configMapRef: z.strictObject({ name: z.literal('carillon') }) }),
      z.strictObject({ secretRef: z.strictObject({ name: z.literal('carillon') }) }),
    ]),
  ),
  ports: z.array(z.strictObject({ name: text, containerPort: z.int() })).default([]),
  startupProbe: probeSchema.optional(),
  livenessProbe: probeSchema.optional(),
  readinessProbe: probeSchema.optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: text, memory: text }),
    limits: z.strictObject({ memory: text }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const podSchema = z.strictObject({
  metadata: z.looseObject({ labels: labelsSchema, annotations: labelsSchema.optional() }),
  spec: z.looseObject({
    automountServiceAccountToken: z.literal(false),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int(),
      runAsGroup: z.int(),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    containers: z.tuple([containerSchema]),
  }),
});
const selectorSchema = z.strictObject({ matchLabels: labelsSchema });
const named = z.looseObject({ name: text });

const resourceSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('ConfigMap'), metadata: named, data: labelsSchema }),
  z.looseObject({
    kind: z.literal('Deployment'),
    metadata: named,
    spec: z.looseObject({ selector: selectorSchema, template: podSchema }),
  }),
  z.looseObject({ kind: z.literal('Job'), metadata: named, spec: z.looseObject({ template: podSchema }) }),
  z.looseObject({
    kind: z.literal('Service'),
    metadata: named,
    spec: z.strictObject({
      selector: labelsSchema,
      ports: z.array(z.strictObject({ name: text, port: z.int(), targetPort: text })),
    }),
  }),
  z.looseObject({
    kind: z.literal('PodDisruptionBudget'),
    metadata: named,
    spec: z.strictObject({
      maxUnavailable: z.literal(1),
      unhealthyPodEvictionPolicy: z.literal('AlwaysAllow'),
      selector: selectorSchema,
    }),
  }),
  z.looseObject({
    kind: z.literal('HorizontalPodAutoscaler'),
    metadata: named,
    spec: z.looseObject({
      scaleTargetRef: z.strictObject({ apiVersion: text, kind: text, name: text }),
      minReplicas: z.int(),
      maxReplicas: z.int(),
      metrics: z.array(
        z.strictObject({
          type: z.literal('External'),
          external: z.looseObject({ metric: z.strictObject({ name: text }) }),
        }),
      ),
    }),
  }),
]);
type Resource = z.infer<typeof resourceSchema>;

const kustomization = z
  .looseObject({ resources: z.array(text), images: z.array(z.looseObject({ name: text })) })
  .parse(readYaml(`${FOLDER}/kustomization.yaml`)[0]);
const resources = kustomization.resources
  .flatMap((file) => readYaml(path.join(FOLDER, file)))
  .map((resource) => resourceSchema.parse(resource));

function ofKind<Kind extends Resource['kind']>(kind: Kind): Extract<Resource, { kind: Kind }>[] {
  return resources.filter(
    (resource): resource is Extract<Resource, { kind: Kind }> => resource.kind === kind,
  );
}

const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(({ metadata, spec: { template } }) => ({
  name: metadata.name,
  metadata: template.metadata,
  spec: template.spec,
}));

function selects(labels: Record<string, string>, selector: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

const db = connectDatabase({ connectionString: 'postgres://127.0.0.1:1/none', observe: observeNothing });
const queue = { add: async () => undefined, ping: async () => undefined };
const metrics = { contentType: 'text/plain', write: async () => '' };
const servers = {
  http: buildServer({ db, queue, clock: systemClock, secret: testSecret, observe: observeNothing }),
  metrics: buildMetricsServer({ db, queue, observe: observeNothing, metrics }),
};
afterAll(async () => {
  await Promise.all([servers.http.close(), servers.metrics.close(), db.destroy()]);
});

it('deploy/kubernetes applies every file that is there', () => {
  const files = readdirSync(path.join(ROOT, FOLDER)).filter((file) => file !== 'kustomization.yaml');
  expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  expect(kustomization.images.map(({ name }) => name)).toEqual(['carillon']);
  expect(pods.map(({ name }) => name)).toEqual(['carillon-api', 'carillon-worker', 'carillon-migrate']);
});

it.each(pods)('deploy/kubernetes gives $name only settings that exist and are accepted', ({ spec }) => {
  const [{ env, envFrom }] = spec.containers;
  expect(envFrom).toHaveLength(2);
  const environment = {
    ...Object.assign({}, ...ofKind('ConfigMap').map(({ data }) => data)),
    ...secretOf(readPage('docs/deploy.md')),
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
  };
  expect(unknownNames(environment)).toEqual([]);
  expect(faultsOf(environment)).toEqual([]);
});

it('deploy/kubernetes runs commands that the command line knows', async () => {
  const commands = await knownCommands();
  expect(commands).toContain('start');
  for (const { name, spec } of pods) expect(commands, name).toContain(spec.containers[0].args[0]);
});

it.each(pods)('deploy/kubernetes runs $name as the user of the image', ({ spec }) => {
  const { runAsUser, runAsGroup } = spec.securityContext;
  const user = stagesOf(dockerfileText)
    .at(-1)
    ?.steps.find(({ keyword }) => keyword === 'USER');
  expect(`${runAsUser}:${runAsGroup}`).toBe(user?.text);
});

it.each(pods.filter(({ name }) => name !== 'carillon-migrate'))(
  'deploy/kubernetes probes $name where it answers',
  ({ spec, metadata }) => {
    const [container] = spec.containers;
    const { startupProbe, livenessProbe, readinessProbe } = container;
    // No dependency that is down may end a process, or take all pods of the API from their Service.
    const serves = metadata.labels['app.kubernetes.io/component'] === 'api';
    expect(startupProbe?.httpGet.path).toBe(serves ? '/readyz' : '/healthz');
    expect(livenessProbe?.httpGet.path).toBe('/healthz');
    expect(readinessProbe?.httpGet.path).toBe(serves ? '/healthz' : '/readyz');
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      const { path: url, port } = probeSchema.parse(probe).httpGet;
      expect(servers[z.enum(['http', 'metrics']).parse(port)].hasRoute({ method: 'GET', url })).toBe(true);
      expect(container.ports.map(({ name }) => name)).toContain(port);
    }
    const image = stagesOf(dockerfileText).at(-1)?.steps ?? [];
    const defaults = image.find(({ keyword }) => keyword === 'ENV')?.words ?? [];
    const variables = { http: 'PORT', metrics: 'METRICS_PORT' };
    for (const { name, containerPort } of container.ports) {
      expect(defaults).toContain(`${variables[z.enum(['http', 'metrics']).parse(name)]}=${containerPort}`);
    }
    const metricsPort = container.ports.find(({ name }) => name === 'metrics')?.containerPort;
    expect(metadata.annotations?.['prometheus.io/port']).toBe(String(metricsPort));
    // A process drains for 25 seconds at most.
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  },
);

it('deploy/kubernetes selects the pods that are meant', () => {
  const labelled = (selector: Record<string, string>): string[] =>
    pods.filter(({ metadata }) => selects(metadata.labels, selector)).map(({ name }) => name);
  for (const { metadata, spec } of ofKind('Deployment')) {
    expect(labelled(spec.selector.matchLabels)).toEqual([metadata.name]);
  }
  for (const { metadata, spec } of ofKind('PodDisruptionBudget')) {
    expect(labelled(spec.selector.matchLabels)).toEqual([metadata.name]);
  }
  expect(ofKind('PodDisruptionBudget')).toHaveLength(2);
  const [service] = ofKind('Service');
  expect(labelled(service?.spec.selector ?? {})).toEqual(['carillon-api']);
  const ports = pods.find(({ name }) => name === 'carillon-api')?.spec.containers[0].ports;
  expect(ports?.map(({ name }) => name)).toContain(service?.spec.ports[0]?.targetPort);
});

it('deploy/kubernetes scales the workers by a metric that is served and that the adapter serves', () => {
  const [autoscaler] = ofKind('HorizontalPodAutoscaler');
  const { scaleTargetRef, minReplicas, maxReplicas, metrics: scaledBy = [] } = autoscaler?.spec ?? {};
  expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'carillon-worker' });
  expect(minReplicas).toBeLessThan(maxReplicas ?? 0);
  const [rule] = adapterSchema.parse(readYaml('deploy/prometheus/adapter-values.yaml')[0]).rules.external;
  expect(rule?.name.as).toBe(scaledBy[0]?.external.metric.name);
  const series = rule?.seriesQuery.replace(/\{.*/, '') ?? '';
  expect(metricsByName().get(series)?.type).toBe('gauge');
  // A number of replicas of its own would undo the autoscaler's at every apply.
  const worker = ofKind('Deployment').find(({ metadata }) => metadata.name === 'carillon-worker');
  expect(worker?.spec).not.toHaveProperty('replicas');
});

const adapterSchema = z.strictObject({
  rules: z.strictObject({
    external: z.array(
      z.looseObject({ seriesQuery: text, name: z.strictObject({ as: text }), metricsQuery: text }),
    ),
  }),
});

/** The content of the Secret as created by the documented command. */
function secretOf(page: ReturnType<typeof readPage>): Record<string, string> {
  const block = fencesOf(page).find(({ text: lines }) => lines.includes('create secret generic carillon'));
  const names = [...(block?.text.matchAll(/--from-literal=(\w+)=/g) ?? [])].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, SECRETS[name] ?? 'unknown']));
}
