/** The tools of the desk (S9.5): what a compact worker may do, wherever it runs. Arguments are JSON Schema; lines are 1-based. */
import { defineTool, type Detail, type Json, type Tool } from '../../core/index';
import type { MarkRequest } from './marks';

/** What a tool of the desk answers; an error is one sentence. */
export interface DeskAnswer {
  /** One line that stays. */
  readonly summary: string;
  readonly content?: string;
  readonly isError?: boolean;
}

/** What stands behind the tools. */
export interface DeskWork {
  readFile(request: MarkRequest): Promise<DeskAnswer>;
  mark(request: MarkRequest): Promise<DeskAnswer>;
  unmark(path: string): DeskAnswer;
  addReference(path: string, note: string | undefined): Promise<DeskAnswer>;
  searchHistory(query: string, limit: number): Promise<DeskAnswer>;
  readHistory(from: number, limit: number, detail: Detail): Promise<DeskAnswer>;
  writeSummary(text: string): Promise<DeskAnswer>;
}

type Fields = Readonly<Record<string, Json>>;

const path = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Path of the file, as the history shows it.',
};
const offset = { type: 'integer', minimum: 1, description: 'First line, counted from 1.' };
const limit = { type: 'integer', minimum: 1, description: 'Number of lines.' };

/** The seven tools, for role `compact-worker` alone. */
export function deskTools(work: DeskWork): readonly Tool[] {
  const tool = (
    name: string,
    description: string,
    kind: 'read' | 'state',
    properties: Readonly<Record<string, Json>>,
    required: readonly string[],
    run: (args: Fields) => Promise<DeskAnswer> | DeskAnswer,
  ): Tool =>
    defineTool({
      name,
      description,
      kind,
      input: { type: 'object', properties, required, additionalProperties: false },
      roles: ['compact-worker'],
      run: (args) => run(args as Fields),
    });
  return [
    tool(
      'read_file',
      'Reads lines of a file for judging whether it is needed; at most 2000 lines, about 1500 tokens where no range is asked for. Says what is left.',
      'read',
      { path, offset, limit },
      ['path'],
      (args) => work.readFile(requestOf(args)),
    ),
    tool(
      'mark_read_required',
      'Marks a file, or a range of it, whose current contents will stand in the new context. Counts against the auto-read budget. Ranges of one file that overlap become one.',
      'state',
      { path, offset, limit },
      ['path'],
      (args) => work.mark(requestOf(args)),
    ),
    tool(
      'unmark_read_required',
      'Takes all marks of a file back and frees their tokens.',
      'state',
      { path },
      ['path'],
      (args) => work.unmark(args.path as string),
    ),
    tool(
      'add_reference',
      'Names a file in the new context without its contents.',
      'state',
      { path, note: { type: 'string', description: 'Why it matters, in a few words.' } },
      ['path'],
      (args) => work.addReference(args.path as string, args.note as string | undefined),
    ),
    tool(
      'search_history',
      'Finds items of the part to summarise that hold all words of the query, newest first.',
      'read',
      {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'Words to look for; case does not matter.',
        },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Number of items, 10 by default.' },
      },
      ['query'],
      (args) => work.searchHistory(args.query as string, (args.limit as number | undefined) ?? 10),
    ),
    tool(
      'read_history',
      'Reads the part to summarise item by item, then the newest items that are carried over. One item alone is shown at greater length; from=-1 begins with the earlier summary and the files it covers. Says where to go on.',
      'read',
      {
        from: { type: 'integer', minimum: -1, description: 'Number of the first item.' },
        limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Number of items, 50 by default.' },
        detail: {
          type: 'string',
          enum: ['brief', 'full'],
          description: 'brief by default: results as their summary, no reasoning.',
        },
      },
      ['from'],
      (args) =>
        work.readHistory(
          args.from as number,
          (args.limit as number | undefined) ?? 50,
          (args.detail as Detail | undefined) ?? 'brief',
        ),
    ),
    tool(
      'write_summary',
      'Hands in the structured summary. May be called again; the last call counts. Text outside of this call is never the summary.',
      'state',
      { text: { type: 'string', minLength: 1 } },
      ['text'],
      (args) => work.writeSummary(args.text as string),
    ),
  ];
}

function requestOf(args: Fields): MarkRequest {
  return {
    path: args.path as string,
    ...(args.offset !== undefined && { offset: args.offset as number }),
    ...(args.limit !== undefined && { limit: args.limit as number }),
  };
}
