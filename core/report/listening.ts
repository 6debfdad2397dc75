/** Why a server cannot listen, for people. */
import { messageOf } from '../errors';

/** What stands in the way, for the end of a sentence. */
export function listeningFault(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'the port is taken';
    case 'EACCES':
      return 'this user may not listen there';
    default:
      return messageOf(error);
  }
}
