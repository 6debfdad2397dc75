/** The files that the calls of a session touched, and how often. */
import type { FileSource } from '../files/file-source';
import { saysFailed } from '../files/read-output';
import { pathsOfCall } from '../files/tool-paths';
import type { TouchedPath } from '../files/tool-paths';
import type { Item, ToolCallItem, ToolResultItem } from '../session/items';

/** A file that the session touched, and how often. */
export interface InspectedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly lastItem: number;
}

/** How the files of a session are named. */
export type FileNames = Pick<FileSource, 'canonical' | 'display'>;

/** A file that a call touched, and the items that show it. */
export interface Touch extends TouchedPath {
  /** The one spelling of the file. */
  readonly key: string;
  /** 0-based numbers of the call and of its result. */
  readonly call: number;
  readonly result: number;
}

type Mutable<T> = { -readonly [field in keyof T]: T[field] };

/** Finds the files of a log as it is walked through. Calls that failed or were never answered touched nothing. */
export class TouchedFiles {
  readonly #names: FileNames;
  readonly #files = new Map<string, Mutable<InspectedFile>>();
  readonly #open = new Map<string, { readonly call: ToolCallItem; readonly number: number }>();
  #number = 0;

  constructor(names: FileNames) {
    this.#names = names;
  }

  /** The files by the one spelling of each. */
  get byKey(): ReadonlyMap<string, InspectedFile> {
    return this.#files;
  }

  /** The files, those that were touched last first. */
  list(): readonly InspectedFile[] {
    return [...this.#files.values()].sort(byRecency);
  }

  /** Takes the next item, and returns what is known to have been touched now. */
  take(item: Item): readonly Touch[] {
    const number = this.#number++;
    if (item.kind === 'tool_call') this.#open.set(item.callId, { call: item, number });
    if (item.kind !== 'tool_result') return [];
    const asked = this.#open.get(item.callId);
    this.#open.delete(item.callId);
    if (asked === undefined || failed(item)) return [];
    const { call, number: lastItem } = asked;
    return pathsOfCall(call.name, call.arguments).map((touched) => {
      const key = this.#names.canonical(touched.path);
      this.#count(key, touched, lastItem);
      return { ...touched, key, call: lastItem, result: number };
    });
  }

  #count(key: string, { path, access }: TouchedPath, lastItem: number): void {
    const known = this.#files.get(key) ?? { path: this.#names.display(path), reads: 0, writes: 0, lastItem };
    this.#files.set(key, known);
    known.lastItem = lastItem;
    if (access === 'read') known.reads++;
    else known.writes++;
  }
}

/** Those that were touched last first; those that one call touched by their path. */
export function byRecency(a: Pick<InspectedFile, 'path' | 'lastItem'>, b: typeof a): number {
  return b.lastItem - a.lastItem || (a.path < b.path ? -1 : Number(a.path > b.path));
}

function failed(result: ToolResultItem): boolean {
  if (result.isError === true) return true;
  return (result.content ?? []).some((part) => part.type === 'text' && saysFailed(part.text));
}
