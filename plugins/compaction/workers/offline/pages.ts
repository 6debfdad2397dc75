/** Reads history pages back into entries; the offline worker knows a session by nothing else. */
import { nextSlice, type Json } from '../../../../core/index';
import type { CompactJob, Desk } from '../../worker';

/** A file that a call touched; lines are 1-based, `toLine` Infinity where the read had no end. */
export interface TouchEntry {
  readonly path: string;
  readonly access: 'read' | 'write' | 'edit' | 'delete';
  readonly fromLine?: number;
  readonly toLine?: number;
  readonly anchors: readonly string[];
}

/** One item as a page shows it. */
export interface Entry {
  readonly number: number;
  /** `files` and `earlier`: files and messages of the user of before the part to summarise. */
  readonly kind: 'user' | 'assistant' | 'system' | 'call' | 'result' | 'reasoning' | 'files' | 'earlier';
  /** Carried over as it is; not part of what is summarised. */
  readonly kept: boolean;
  readonly text: string;
  readonly tokens: number;
  /** Name of the tool, for calls and results. */
  readonly tool: string;
  readonly args: Json;
  readonly failed: boolean;
  /** For results: number of the call; otherwise -1. */
  readonly call: number;
  readonly touches: readonly TouchEntry[];
}

const PAGE_ITEMS = 500;

/** All of the history that the desk shows, the retained tail included. Gives the event loop a turn after each page. */
export async function readHistory(job: CompactJob, desk: Desk, signal: AbortSignal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let from: number | undefined = job.range.from > 0 ? -1 : 0; from !== undefined;) {
    signal.throwIfAborted();
    const result = await desk.call('read_history', { from, limit: PAGE_ITEMS, detail: 'full' }, signal);
    if (result.isError === true) break;
    const page = parsePage(textOf(result.content ?? result.summary), job.range.to);
    for (const entry of page.entries) entries.push(entry);
    from = page.next !== undefined && page.next > from ? page.next : undefined;
    await nextSlice();
  }
  return entries;
}

/** The text of a tool result's content. */
export function textOf(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
}

/** The entries of a page, and where the next one begins. Lines that are neither header nor content are passed over. */
export function parsePage(
  page: string,
  keptFrom: number,
): { readonly entries: readonly Entry[]; readonly next: number | undefined } {
  const entries: Entry[] = [];
  let head: string | undefined;
  let body: string[] = [];
  let next: number | undefined;
  const close = (): void => {
    const entry = head === undefined ? undefined : entryOf(head, body, keptFrom);
    if (entry !== undefined) entries.push(entry);
    head = undefined;
    body = [];
  };
  for (const line of page.split('\n')) {
    if (line.startsWith('  ')) body.push(line.slice(2));
    else if (line.startsWith('#')) {
      close();
      head = line;
    } else if (line.startsWith('(')) {
      const more = /; go on with from=(\d+)\)$/.exec(line)?.[1];
      if (more !== undefined) next = Number(more);
    }
  }
  close();
  return { entries, next };
}

const HEAD = /^#(-1|\d+) (user|assistant|system|call|result|reasoning|files|earlier)(?: (.*))?$/s;

function entryOf(head: string, body: readonly string[], keptFrom: number): Entry | undefined {
  const [, digits, kind, rest = ''] = HEAD.exec(head) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  const size = /\((\d+) tokens\)$/.exec(rest)?.[1];
  const result = kind === 'result' ? /^(ok|error)(?: (\S+) of #(\d+))?/.exec(rest) : null;
  const blank = rest.indexOf(' ');
  const isCall = kind === 'call';
  return {
    number,
    kind: kind as Entry['kind'],
    kept: number >= keptFrom,
    text: isCall || kind === 'files' ? '' : body.join('\n'),
    tokens: size === undefined ? 0 : Number(size),
    tool: isCall ? (blank === -1 ? rest : rest.slice(0, blank)) : (result?.[2] ?? ''),
    args: isCall && blank !== -1 ? parsed(rest.slice(blank + 1)) : null,
    failed: result?.[1] === 'error',
    call: result?.[3] === undefined ? -1 : Number(result[3]),
    touches: isCall || kind === 'files' ? body.flatMap(touchOf) : [],
  };
}

function parsed(json: string): Json {
  try {
    return JSON.parse(json) as Json;
  } catch {
    return json;
  }
}

function touchOf(line: string): readonly TouchEntry[] {
  const anchorsAt = line.endsWith('"]') ? line.indexOf(' ["') : -1;
  const place = anchorsAt === -1 ? line : line.slice(0, anchorsAt);
  const anchors = anchorsAt === -1 ? [] : parsed(line.slice(anchorsAt + 1));
  const [, access, path, from, to] = /^(read|write|edit|delete) (.+?)(?::(\d+)-(\d*))?$/s.exec(place) ?? [];
  if (access === undefined || path === undefined) return [];
  return [
    {
      path,
      access: access as TouchEntry['access'],
      ...(from !== undefined && { fromLine: Number(from), toLine: to === '' ? Infinity : Number(to) }),
      anchors: Array.isArray(anchors) ? anchors.filter((anchor) => typeof anchor === 'string') : [],
    },
  ];
}
