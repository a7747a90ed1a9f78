/** A master that hangs is noticed by its silence, which takes longer than a refused connection. */
import { masterIsReplaced } from '../queue/master-is-replaced.ts';

masterIsReplaced('SIGSTOP');
