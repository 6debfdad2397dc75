/** Which files a stretch of a session touched, how often, and where their places are; from the calls alone. */
import { fileCalls, inSlices, type FileCall, type Session, type ToolCallItem } from '../../core/index';
import type { Touch } from './history';

/** What a session did to one file. */
export interface TouchedFile {
  /** The path as it is shown. */
  readonly path: string;
  readonly reads: number;
  readonly edits: number;
  readonly deleted: boolean;
  /** 0-based number of the item that touched it last. */
  readonly lastItem: number;
  /** Calls of tools between the one that touched it last and the end of the log. */
  readonly callsAgo: number;
  /** What touched it last, newest first; a few. */
  readonly newest: readonly Touch[];
}

/** Touches of a file that are remembered one by one. */
const NEWEST = 2;

const ANCHORS = 3;
const ANCHOR_LENGTH = 160;

/** The touches of a session's calls, each call taken apart once. */
export class SessionTouches {
  readonly #session: Session;
  readonly #show: (path: string) => string;
  readonly #canonical: (path: string) => string;
  readonly #ofCall = new Map<string, readonly Touch[]>();
  #files: Promise<ReadonlyMap<string, TouchedFile>> | undefined;

  /** `show` gives the form in which a path is shown, `canonical` the one spelling of a file. */
  constructor(session: Session, show: (path: string) => string, canonical: (path: string) => string) {
    this.#session = session;
    this.#show = remembered(show);
    this.#canonical = remembered(canonical);
  }

  /** The touches of a call, by paths as the log has them. */
  of(call: ToolCallItem): readonly Touch[] {
    const known = this.#ofCall.get(call.id) ?? touchesOf(call, this.#show);
    this.#ofCall.set(call.id, known);
    return known;
  }

  /** The touched files by their canonical path. Goes through the log once, in slices. */
  files(): Promise<ReadonlyMap<string, TouchedFile>> {
    return (this.#files ??= this.#collect());
  }

  async #collect(): Promise<ReadonlyMap<string, TouchedFile>> {
    const files = new Map<string, Omit<TouchedFile, 'callsAgo'> & { readonly call: number }>();
    let number = 0;
    let calls = 0;
    await inSlices(this.#session.items(), (item) => {
      if (item.kind === 'tool_call') {
        calls++;
        for (const touch of this.of(item)) {
          const { path, access } = touch;
          const key = this.#canonical(path);
          const known = files.get(key);
          files.set(key, {
            path,
            reads: (known?.reads ?? 0) + (access === 'read' ? 1 : 0),
            edits: (known?.edits ?? 0) + (access === 'write' || access === 'edit' ? 1 : 0),
            deleted: access === 'delete',
            lastItem: number,
            call: calls,
            newest: [touch, ...(known?.newest ?? []).slice(0, NEWEST - 1)],
          });
        }
      }
      number++;
    });
    return new Map([...files].map(([key, { call, ...file }]) => [key, { ...file, callsAgo: calls - call }]));
  }
}

/** `edited 3 times, read once, last 12 calls ago`. */
export function reasonOf({
  reads,
  edits,
  deleted,
  callsAgo,
}: Pick<TouchedFile, 'reads' | 'edits' | 'deleted' | 'callsAgo'>): string {
  const times = (verb: string, count: number): readonly string[] =>
    count === 0 ? [] : [`${verb} ${count === 1 ? 'once' : `${String(count)} times`}`];
  return [
    ...times('edited', edits),
    ...times('read', reads),
    ...(deleted ? ['deleted'] : []),
    ...(callsAgo > 0 ? [`last ${callsAgo === 1 ? 'a call' : `${String(callsAgo)} calls`} ago`] : ['just before']),
  ].join(', ');
}

function remembered(of: (path: string) => string): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    const found = known.get(path) ?? of(path);
    known.set(path, found);
    return found;
  };
}

function touchesOf(call: ToolCallItem, show: (path: string) => string): readonly Touch[] {
  return fileCalls(call.name, call.arguments).flatMap((fileCall): readonly Touch[] => {
    const path = shownPath(fileCall.path, show);
    switch (fileCall.op) {
      case 'read':
        return [
          {
            path,
            access: 'read',
            ...(fileCall.fromLine !== undefined && { offset: fileCall.fromLine }),
            ...(fileCall.lines !== undefined && { limit: fileCall.lines }),
          },
        ];
      case 'write':
      case 'delete':
        return [{ path, access: fileCall.op }];
      case 'move':
        return [
          { path, access: 'delete' },
          { path: shownPath(fileCall.to, show), access: 'write' },
        ];
      case 'edit':
      case 'insert':
      case 'patch':
        return [{ path, access: 'edit', anchors: anchorsOf(fileCall) }];
    }
  });
}

/** The shown form of a path where it is part of what the log says, else the path of the log. */
function shownPath(path: string, show: (path: string) => string): string {
  const shown = show(path);
  return path.includes(shown) ? shown : path;
}

/** Lines that an edit put in and that are long enough to be found again. */
function anchorsOf(call: Extract<FileCall, { op: 'edit' | 'insert' | 'patch' }>): readonly string[] {
  const texts =
    call.op === 'edit'
      ? (call.edits ?? []).map((edit) => edit.new.split('\n', 40))
      : call.op === 'insert'
        ? [call.text.split('\n', 40)]
        : call.hunks.map((hunk) => hunk.new.slice(0, 40));
  return texts.slice(0, ANCHORS).flatMap((lines) => {
    const trimmed = lines.map((line) => line.trim());
    const line = trimmed.find((text) => text.length >= 20) ?? trimmed.find((text) => text.length >= 8);
    return line === undefined || line.length > ANCHOR_LENGTH ? [] : [line];
  });
}
