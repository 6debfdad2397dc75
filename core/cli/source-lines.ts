/** The head of a report: which session was read, by which manifest, and where contents of files come from. */
import type { LoadedManifest } from '../manifest';
import { fitTo, printableLine } from './display-width';
import { counted, figure } from './layout';
import type { OpenedSession } from './opened-session';
import { manifestName } from './started-plugins';
import type { Terminal } from './terminal';

/** How a session was looked at. */
export interface SourceLines {
  readonly opened: OpenedSession;
  readonly manifest: Pick<LoadedManifest, 'path' | 'foundBy'>;
  /** The folder that file contents were read from; undefined where the session itself tells them. */
  readonly root: string | undefined;
}

/** Lines that say what was read. */
export function sourceLines(
  { opened, manifest, root }: SourceLines,
  { colours, columns }: Terminal,
): readonly string[] {
  const { bold, dim } = colours;
  const { facts, number, of } = opened;
  const counts = [counted(facts.items, 'item'), counted(facts.turns, 'turn'), counted(facts.requests, 'request')].join(
    ', ',
  );
  const name = facts.path === '-' ? 'standard input' : facts.path;
  const several = `session ${figure(number)} of ${figure(of)} in the file, ${facts.sessionId} (--session N or ID)`;
  const lines = [
    `${facts.format}, ${counts}`,
    ...(of > 1 ? [several] : []),
    manifestName(manifest),
    contentsLine(root),
  ];
  return [
    bold(fitTo(printableLine(name), columns, 'start')),
    ...lines.map((line) => dim(fitTo(printableLine(line), columns))),
  ];
}

function contentsLine(root: string | undefined): string {
  return root === undefined
    ? 'contents of files as last seen in the session (--root DIR reads them from disk)'
    : `contents of files read from ${root}`;
}
