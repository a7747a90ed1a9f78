import { masterIsReplaced } from './master-is-replaced.ts';

masterIsReplaced('SIGKILL');
masterIsReplaced('SIGKILL', { isEncrypted: true });
