import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/settings.ts';
import { catalogue } from '../../src/errors.ts';
import { fencesOf, readPage, readPages, ROOT, tableAfter, type Page } from './markdown.ts';

const pages = readPages();

describe('The settings in README.md', () => {
  it('are the settings, row for row', () => {
    const rows = Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      'default' in setting ? `\`${setting.default}\`` : setting.unset,
      setting.meaning,
    ]);
    expect(tableAfter(readPage('README.md'), '<!-- settings -->')).toEqual(rows);
  });
});

describe('The secrets that README.md says may come from files', () => {
  it('are those of the settings that do', () => {
    const [, named = ''] = /those that hold a secret \(([^)]+)\)/.exec(readPage('README.md').text) ?? [];
    const secret = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []));
    expect(named.split(', ')).toEqual(secret.map((name) => `\`${name}\``));
  });
});

describe('The errors in docs/errors.md', () => {
  it('are the codes of the catalogue with their statuses, in its order', () => {
    const rows = tableAfter(readPage('docs/errors.md'), '<!-- errors -->');
    expect(rows.map(([code, status]) => [code, status])).toEqual(
      Object.entries(catalogue).map(([code, { status }]) => [`\`${code}\``, String(status)]),
    );
  });
});

describe.each(pages)('$file', (page) => {
  it('has no link that leads nowhere', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('has no block of a kind that nobody checks', () => {
    // `sh` is run (shell-blocks.test.ts); `sh demo` is the demo, which has tests of its own (test/cli). `sh docker`
    // and `sh kubectl` need what no test has: the files that they work on are held to the code in test/deploy.
    const kinds = new Set(['sh', 'sh demo', 'sh bench', 'sh docker', 'sh kubectl', 'json', 'text']);
    expect(fencesOf(page).filter(({ info }) => !kinds.has(info))).toEqual([]);
  });
});

/** The targets of the links that stay in the project, outside fenced blocks. */
function linksOf({ text }: Page): string[] {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere({ file }: Page, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const linked = target === '' ? file : path.join(path.dirname(file), target);
  if (!existsSync(path.join(ROOT, linked))) return false;
  return anchor === undefined || anchorsOf(readPage(linked)).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf({ text }: Page): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
