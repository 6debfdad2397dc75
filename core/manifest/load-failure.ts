/** What is said of a plugin whose module cannot be loaded. */
import { extname } from 'node:path';
import { messageOf } from '../errors';
import { runsTypeScript } from '../kernel/installed-packages';

const TYPESCRIPT = ['.ts', '.mts', '.cts'];

/** Why a file could not be loaded, in one line that says what to do where that is known. */
export function loadFailure(file: string | undefined, thrown: unknown): string {
  const message = messageOf(thrown).split('\n', 1)[0] ?? '';
  if (file === undefined || !isUnknownSyntax(thrown)) return message;
  if (TYPESCRIPT.includes(extname(file)) && !runsTypeScript(file)) {
    return (
      'it is TypeScript, and nothing here runs that; use Node 22.18 or newer, load a loader before Pith ' +
      '(NODE_OPTIONS="--import tsx"), or build the plugin and name the JavaScript'
    );
  }
  return /outside a module|^Unexpected token 'export'/.test(message)
    ? `${message}; it is an ES module, so set "type": "module" in its package.json or name it .mjs`
    : message;
}

/** Whether Node could not read the module at all; what a module throws itself is another matter. */
function isUnknownSyntax(thrown: unknown): boolean {
  const { name, code } = (thrown ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === 'SyntaxError' || code === 'ERR_UNKNOWN_FILE_EXTENSION';
}
