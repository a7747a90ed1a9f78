/** The rules of the linter, and which way imports go: docs/architecture.md has the rooms. */
import { defineConfig, type OxlintOverride } from 'oxlint';

/**
 * @param message why
 * @param imports what these files may not import
 */
function forbid(files: string | string[], message: string, imports: string): OxlintOverride {
  const patterns = [{ regex: imports, message }];
  return { files: [files].flat(), rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/**
 * @param message what the files may know
 * @param rooms the rooms of `src/` that they may not import, next to `src/main.ts`
 * @param others more that they may not import, as a regular expression
 */
function below(files: string | string[], message: string, rooms: string, others: string): OxlintOverride {
  return forbid(files, message, `/(${rooms.replaceAll(' ', '|')})/|/main\\.ts|${others}`);
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'import', 'promise', 'node', 'oxc'],
  categories: {
    correctness: 'error',
    suspicious: 'error',
    perf: 'error',
  },
  rules: {
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-console': 'error',
    'no-await-in-loop': 'off',
    'import/no-default-export': 'error',
    'import/no-cycle': 'error',
    'import/no-unassigned-import': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'unicorn/filename-case': [
      'error',
      {
        case: 'kebabCase',
      },
    ],
    'unicorn/prefer-node-protocol': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/consistent-type-assertions': [
      'error',
      {
        assertionStyle: 'never',
      },
    ],
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/return-await': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/require-await': 'off',
    'typescript/consistent-return': 'off',
  },
  overrides: [
    {
      files: ['test/**', 'packages/*/test/**'],
      plugins: ['typescript', 'unicorn', 'import', 'promise', 'node', 'oxc', 'vitest'],
      rules: {
        'typescript/consistent-type-assertions': 'off',
        'vitest/no-focused-tests': 'error',
      },
    },
    {
      files: ['*.config.ts'],
      rules: {
        'import/no-default-export': 'off',
      },
    },
    {
      files: ['src/cli/**', 'bench/**'],
      rules: {
        'no-console': 'off',
      },
    },
    {
      files: ['packages/console/src/**'],
      rules: {
        // Preact ignores what a handler returns, and ours report their failures themselves.
        'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      },
    },
    forbid(
      'packages/console/src/**',
      'the console in the browser imports its own files, preact, signals, uplot and uqr',
      '^(\\.\\./){4,}|^(\\.\\./){3}([^fktr]|f[^ri]|k[^i]|r[^e]|t[^r]|tra[^y])|/server/|^node:|^(fastify|kysely|pg|zod)',
    ),
    below(
      'src/filters/**',
      'the filter language is pure: it imports only errors, json and the small files of src/',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices apps gateways queue db metrics console results audit',
      '^(fastify|kysely|pg|ioredis|bullmq)|^@carillon/',
    ),
    forbid(
      'packages/http2-client/src/*.ts',
      'the HTTP/2 client stands alone: it imports its own folder and Node, nothing else',
      '^\\.\\./|^@|^[a-z0-9_-]+(/|$)',
    ),
    forbid(
      'packages/http2-client/src/*/*.ts',
      'frames and header compression stand alone below the HTTP/2 client',
      '^\\.\\./[^f]|^@|^[a-z0-9_-]+(/|$)',
    ),
    forbid(
      ['packages/simulator/src/*.ts', 'packages/import-formats/src/*.ts'],
      'a package stands alone: it imports its own folder and packages of others',
      '^\\.\\./|^@carillon/',
    ),
    forbid(
      'packages/simulator/src/*/*.ts',
      'a package stands alone: it imports its own folder and packages of others',
      '^(\\.\\./){2}|^@carillon/',
    ),
    {
      // Classic scripts without a scope of a module, and kept small; `_nid` and `_rcpt` are keys of a push.
      files: ['packages/web/src/*.js', 'src/cli/demo/*.js'],
      rules: {
        'unicorn/consistent-function-scoping': 'off',
        'unicorn/prefer-add-event-listener': 'off',
        'no-underscore-dangle': 'off',
        'typescript/no-floating-promises': 'off',
        'typescript/no-misused-promises': 'off',
      },
    },
    forbid('packages/web/src/**', 'a site copies each file alone: it imports nothing', '.'),
    forbid(
      'packages/*/test/**',
      'the tests of a package import its own folder and packages of others',
      '^\\.\\./\\.\\./([^s]|s[^r])|^(\\.\\./){3}|^@carillon/',
    ),
    below(
      'src/gateways/**',
      'gateways know no database, no queue and no feature',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices apps queue db metrics console results audit',
      '^(fastify|kysely|pg|ioredis|bullmq)|^@carillon/[^h]',
    ),
    below(
      'src/queue/**',
      'the queue is below every feature',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices apps gateways metrics console results audit',
      '^fastify|^@carillon/',
    ),
    below(
      'src/db/**',
      'the database is below every feature',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices apps gateways queue metrics console results audit',
      '^fastify|^@carillon/',
    ),
    below(
      'src/audit/**',
      'the audit log is below every feature: it knows the database alone',
      'cli doctor bulk http console process delivery notifications webhooks audiences targeting filters devices apps gateways queue metrics results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/apps/**',
      'apps are the lowest feature: db, and types of the gateways',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices queue metrics console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/devices/**',
      'devices know apps and the database, nothing above',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters queue metrics console results',
      '^fastify|^@carillon/[^i]',
    ),
    below(
      'src/targeting/**',
      'targeting turns filters into SQL: it knows filters and the database',
      'cli doctor bulk http process delivery notifications webhooks audiences devices apps gateways queue metrics console results audit',
      '^fastify|^@carillon/',
    ),
    below(
      'src/targeting/rows/**',
      'rows are counted without bitmaps: src/targeting/bitmaps can be deleted alone',
      'cli doctor bulk http process delivery notifications webhooks audiences devices apps gateways queue metrics bitmaps console results audit',
      '^fastify|^@carillon/',
    ),
    below(
      'src/audiences/**',
      'audiences know targeting and the database, nothing above',
      'cli doctor bulk http process delivery notifications webhooks gateways queue metrics console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/notifications/**',
      'notifications are below delivery and http',
      'cli doctor bulk http process delivery webhooks metrics console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/delivery/**',
      'delivery knows nothing of http and the command line',
      'cli doctor bulk http process webhooks metrics console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/bulk/**',
      'the bulk thread delivers, and nothing else',
      'cli doctor http webhooks console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/channels/**',
      'channels know apps, the gateways and the database; no other feature',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices queue metrics console results',
      '^fastify|^@carillon/',
    ),
    forbid(
      'src/proxy/**',
      'the proxy knows nothing of Carillon but the HTTP/2 client’s type of a tunnel',
      '^\\.\\./|^@carillon/[^h]|^@[^c]|^[a-z0-9_-]+(/|$)',
    ),
    below(
      'src/webhooks/**',
      'webhooks know apps and the database; events reach them through their table',
      'cli doctor bulk http process delivery notifications audiences targeting filters devices gateways queue metrics console results',
      '^fastify|^@carillon/',
    ),
    below(
      'src/status/**',
      'the list of troubles reads what others leave in the database: no feature need know it',
      'cli doctor bulk http console process results delivery notifications webhooks audiences targeting filters devices apps audit metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/results/**',
      'results read what others keep; only http and main know them',
      'cli doctor bulk http console process queue metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/[!m]*.ts',
      'the small files of src/ are below every room: they know each other, json, and types of gateways',
      'cli doctor bulk http console process results delivery notifications webhooks audiences targeting filters devices apps audit queue db metrics',
      '^fastify|^@carillon/',
    ),
    below(
      ['src/api/**', 'src/scheduling/**', 'src/time/**', 'src/json/**', 'src/locale/**'],
      'the small rooms are below every other: they import each other and the small files of src/',
      'cli doctor bulk http console process results delivery notifications webhooks audiences targeting filters devices apps audit gateways queue db metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/tracing/**',
      'tracing knows no feature',
      'cli doctor bulk http console results delivery notifications webhooks audiences targeting filters devices apps audit gateways queue db metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/metrics/**',
      'metrics observe: they know no feature',
      'cli doctor bulk http console process results delivery notifications webhooks audiences targeting filters devices apps audit queue metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/doctor/**',
      'the doctor checks settings, connections and credentials; it knows no other feature',
      'cli doctor bulk http console results delivery notifications webhooks audiences targeting filters devices audit metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/console/map/**',
      'the map draws outlines from a package; it knows no room',
      'cli doctor bulk http console process results delivery notifications webhooks audiences targeting filters devices apps audit gateways queue db metrics',
      '^fastify|^@carillon/',
    ),
    below(
      'src/process/**',
      'a process reads its settings and opens its resources; it knows no feature above devices',
      'cli doctor bulk http notifications webhooks results audiences targeting filters server',
      '^@carillon/[^h]',
    ),
    below('src/http/**', 'http is below main and cli', 'cli doctor bulk process', '^@carillon/'),
    { files: ['src/http/**'], rules: { 'oxc/no-async-endpoint-handlers': 'off' } },
    below(
      'src/console/accounts/**',
      'accounts know apps and the database, nothing above',
      'cli doctor bulk http process delivery notifications webhooks audiences targeting filters devices gateways queue metrics results map',
      '^fastify|^@carillon/',
    ),
    below(
      'src/http/console/**',
      "the routes of the console know accounts, http and the database; a screen's data comes from the API",
      'cli doctor bulk process results delivery notifications webhooks audiences targeting filters devices gateways queue metrics',
      '^@carillon/',
    ),
    { files: ['src/http/console/**'], rules: { 'oxc/no-async-endpoint-handlers': 'off' } },
  ],
});
