/** The Dockerfile as stages and steps, and what .dockerignore lets into a build. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DockerfileParser, type Instruction, JSONInstruction, ModifiableInstruction } from 'dockerfile-ast';
import { ROOT } from '../docs/markdown.ts';

export interface Step {
  /** `COPY`, `RUN`, … */
  keyword: string;
  /** `--from=packages` as `{from: 'packages'}`. */
  flags: Readonly<Record<string, string>>;
  /** The arguments one by one, also where they are written as JSON. */
  words: readonly string[];
  /** The arguments, unparsed. */
  text: string;
  line: number;
}

export interface Stage {
  image: string;
  name: string | undefined;
  steps: readonly Step[];
}

export const dockerfileText = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');

/** The stages of a Dockerfile, the last of which is the image. */
export function stagesOf(text: string): Stage[] {
  const stages: { image: string; name: string | undefined; steps: Step[] }[] = [];
  for (const step of DockerfileParser.parse(text).getInstructions().map(stepOf)) {
    const [image = '', , name] = step.words;
    if (step.keyword === 'FROM') stages.push({ image, name, steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  const json = instruction instanceof JSONInstruction ? instruction.getJSONStrings() : [];
  const words = json.length > 0 ? json.map((word) => word.getJSONValue()) : instruction.getArguments();
  return {
    keyword: instruction.getKeyword(),
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    words: words.map(String),
    text: instruction.getArgumentsContent() ?? '',
    line: instruction.getRange().start.line + 1,
  };
}

interface BuildContext {
  /** Names at the root of the project. */
  seen: readonly string[];
  /** Paths within them that are left out, with `*` for a name. */
  hidden: readonly string[];
}

/**
 * @returns what of the project a build can see. Understands the one form that ours has: everything ignored but a list of
 *   names, then what is left out of these; anything else throws.
 */
export function readBuildContext(): BuildContext {
  const text = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8');
  const [, names = '', hidden = ''] = /^\*\n((?:![\w.-]+\n)+)((?:[\w-]+\/[\w.*/-]+\n)*)$/.exec(text) ?? [];
  if (names === '') throw new Error('.dockerignore must be *, a list of !name, and a list of paths');
  return {
    seen: names
      .trimEnd()
      .split('\n')
      .map((name) => name.slice(1)),
    hidden: hidden.split('\n').filter(Boolean),
  };
}
