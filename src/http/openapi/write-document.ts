/** `npm run openapi`: the document on standard output, from where it goes to docs/openapi.json. */
import { apiDocument } from './document.ts';

process.stdout.write(`${JSON.stringify(apiDocument(), null, 2)}\n`);
