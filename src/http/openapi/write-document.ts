/** `npm run openapi` writes this output to docs/openapi.json. */
import { apiDocument } from './document.ts';

process.stdout.write(`${JSON.stringify(apiDocument(), null, 2)}\n`);
