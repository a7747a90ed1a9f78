import { existsSync } from 'node:fs';
import path from 'node:path';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { ROOT } from '../docs/markdown.ts';
import { dockerfileText, readBuildContext, stagesOf } from './dockerfile.ts';

/** Our own rules, which the linter lacks. @returns a line for each violation */
function breachesOf(text: string): string[] {
  const stages = stagesOf(text);
  const steps = stages.flatMap((stage) => stage.steps);
  const last = stages.at(-1)?.steps ?? [];
  const user = last.findLast(({ keyword }) => keyword === 'USER')?.text ?? 'root';
  return [
    ...stages.filter(({ image }) => !isPinned(image)).map(({ image }) => `${image} names no release`),
    ...steps
      .filter(({ keyword }) => keyword === 'ADD')
      .map(({ line }) => `line ${line}: ADD instead of COPY`),
    ...steps
      .filter(({ keyword, text: command }) => keyword === 'RUN' && /\bsudo\b|\bcurl\b|\bwget\b/.test(command))
      .map(({ line }) => `line ${line}: runs what it downloads`),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : [`runs as ${user}, not as a number other than 0`]),
    ...['HEALTHCHECK', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD']
      .filter((keyword) => last.filter((step) => step.keyword === keyword).length !== 1)
      .map((keyword) => `needs one ${keyword}`),
  ];
}

/** A tag that says which release of what it is; no `latest`, no variable. */
function isPinned(image: string): boolean {
  return /^[a-z/.-]+:(\d[\w.]*-)?\w+-slim$/.test(image) && !image.includes('latest');
}

it('the Dockerfile has nothing that the linter finds fault with', () => {
  expect(validate(dockerfileText)).toEqual([]);
  expect(validate('FROM debian:trixie-slim\nSTOPSIGNAL TERMINATE')).toHaveLength(1);
});

it('the Dockerfile keeps to our own rules', () => {
  expect(breachesOf(dockerfileText)).toEqual([]);
});

it.each([
  [/^FROM debian:.*$/m, 'FROM debian:latest', ['debian:latest names no release']],
  [/^FROM debian:.*$/m, 'FROM debian', ['debian names no release']],
  [/^USER .*$/m, '', ['runs as root, not as a number other than 0']],
  [/^USER .*$/m, 'USER 0:0', ['runs as 0:0, not as a number other than 0']],
  [/^USER .*$/m, 'USER node', ['runs as node, not as a number other than 0']],
  [/^STOPSIGNAL .*$/m, '', ['needs one STOPSIGNAL']],
  [
    /^COPY bin .*$/m,
    'ADD https://example.com/bin ./bin',
    [expect.stringMatching(/^line \d+: ADD instead of COPY$/)],
  ],
  [
    /^RUN node --version$/m,
    'RUN curl https://example.com/install | sh',
    [expect.stringMatching(/^line \d+: runs what it downloads$/)],
  ],
])('the Dockerfile breaks our rules if %s becomes %s', (line, otherwise, breaches) => {
  const broken = dockerfileText.replace(line, otherwise);
  expect(broken).not.toBe(dockerfileText);
  expect(breachesOf(broken)).toEqual(breaches);
});

it('the Dockerfile installs from the lock file, without what is only for development', () => {
  const commands = stagesOf(dockerfileText).flatMap((stage) =>
    stage.steps.filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text),
  );
  expect(commands[0]).toMatch(/^npm ci --omit=dev /);
  expect(commands.join()).not.toMatch(/npm (i|install)\b/);
});

it('the Dockerfile copies what there is, and the build sees nothing but that', () => {
  const copied = stagesOf(dockerfileText)
    .flatMap((stage) => stage.steps)
    .filter(({ keyword, flags }) => keyword === 'COPY' && flags['from'] === undefined)
    .flatMap(({ words }) => words.slice(0, -1));
  expect(copied.filter((source) => !existsSync(path.join(ROOT, source)))).toEqual([]);
  expect(new Set(readBuildContext().seen)).toEqual(new Set(copied));
});
