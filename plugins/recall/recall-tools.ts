/** The tools `recall_search` and `recall_read`: all that the log holds, also what the context no longer does. */
import {
  CONTEXT,
  defineTool,
  foundText,
  headerOf,
  historyPage,
  oneLine,
  partsText,
  searchedItems,
  searchTexts,
} from '../../core/index';
import type { Detail, Found, Item, Session, Tokenizer, Tool, ToolResult, ToolRun } from '../../core/index';
import type { KeptTexts } from './kept-texts';
import { longTextPage } from './long-text';
import { record } from './record';
import { compactedAway, sessionHistory } from './session-history';

/** Tokens of a page that its frame takes. */
const FRAME_TOKENS = 120;

/** What the tools work with. */
export interface RecallParts {
  readonly tokenizer: Tokenizer;
  /** Tokens of an answer at most. */
  readonly pageTokens: number;
  mask(text: string): string;
  keptOf(session: Session): KeptTexts;
}

interface SearchArguments {
  readonly query: string;
  readonly limit?: number;
}

interface ReadArguments {
  readonly from: string;
  readonly limit?: number;
  readonly detail?: Detail;
  readonly offset?: number;
}

/** Makes the tools. */
export function recallTools(parts: RecallParts): readonly Tool[] {
  return [
    defineTool({
      name: 'recall_search',
      description:
        'Searches what is no longer in your context as it was: summarised and pruned parts of this conversation, and long outputs ' +
        'of which you saw only a part. Finds what holds all words of the query, newest first. #12 is the item that summaries cite as [i12].',
      kind: 'read',
      input: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            description: 'Words to look for; case does not matter.',
          },
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Number of items, 10 by default.' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      run: (args, run) => search(parts, args as unknown as SearchArguments, run),
    }),
    defineTool({
      name: 'recall_read',
      description:
        'Reads earlier items of this conversation in full, whether or not they are still in your context. One item alone is shown ' +
        'whole, page by page; several as an overview.',
      kind: 'read',
      input: {
        type: 'object',
        properties: {
          from: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            description:
              'The item, such as i12 where a summary cites [i12], or the id of an output that was left out, such as o12.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 500,
            description: 'Number of items from there on, 1 by default.',
          },
          detail: {
            type: 'string',
            enum: ['brief', 'full'],
            description: 'Of several items; brief by default: results as their summary, no reasoning.',
          },
          offset: {
            type: 'integer',
            minimum: 0,
            description: 'Of one item: the first character to show, 0 by default.',
          },
        },
        required: ['from'],
        additionalProperties: false,
      },
      run: (args, run) => read(parts, args as unknown as ReadArguments, run),
    }),
  ];
}

async function search(parts: RecallParts, { query, limit = 10 }: SearchArguments, run: ToolRun): Promise<ToolResult> {
  const { session, signal } = run;
  const history = sessionHistory(session, parts.mask);
  const numbers = await compactedAway(session, session.get(CONTEXT));
  const found = await searchTexts(searchedItems(history, numbers), query, limit, parts.mask, signal);
  const entries = [...found.entries];
  let { hits } = found;
  for (const { id, title, read: load } of parts.keptOf(session).list.toReversed()) {
    const text = await load();
    const header = (): string => `${id} output of ${title}`;
    const more: Found = await searchTexts([{ text, header }], query, limit - entries.length, (same) => same, signal);
    entries.push(...more.entries);
    hits += more.hits;
  }
  const bounded = within(parts, entries);
  const summary = `Searched earlier parts for ${JSON.stringify(oneLine(query))}: ${String(hits)} found`;
  return { summary, content: record(foundText({ entries: bounded, hits }, query, bounded.length)) };
}

/** The first entries that fit an answer. */
function within({ tokenizer, pageTokens }: RecallParts, entries: readonly string[]): readonly string[] {
  let left = pageTokens - FRAME_TOKENS;
  const end = entries.findIndex((entry) => (left -= tokenizer.countText(entry) + 1) < 0);
  return end === -1 ? entries : entries.slice(0, end);
}

async function read(parts: RecallParts, args: ReadArguments, { session }: ToolRun): Promise<ToolResult> {
  const id = args.from.trim().replace(/^\[(.*)\]$/, '$1');
  const kept = parts.keptOf(session).find(id);
  if (kept !== undefined) return page(parts, args, `${id} output of ${kept.title}`, await kept.read(), (same) => same);
  const number = numberOf(session, id);
  if (number === undefined) return { summary: `Error: ${unknown(session, id)}`, isError: true };
  const history = sessionHistory(session, parts.mask);
  const { limit = 1, detail = 'brief' } = args;
  if (limit === 1) {
    const item = session.item(number);
    return page(parts, args, headerOf(history, number, item), textOf(item), parts.mask);
  }
  const { tokenizer, pageTokens } = parts;
  const room = { most: pageTokens - FRAME_TOKENS, measure: (text: string): number => tokenizer.countText(text) };
  const text = historyPage(history, { from: number, limit, detail }, room);
  const { text: bounded, truncated } = tokenizer.truncate(text, pageTokens - FRAME_TOKENS, 'head');
  const rest = truncated ? `\n(cut; read #${String(number)} alone)` : '';
  return { summary: `Recalled items from #${String(number)} on`, content: record(bounded + rest) };
}

/** A page of one text. */
function page(
  { tokenizer, pageTokens }: RecallParts,
  { offset = 0 }: ReadArguments,
  head: string,
  text: string,
  mask: (text: string) => string,
): ToolResult {
  if (offset > 0 && offset >= text.length)
    return { summary: `Error: there are ${String(text.length)} characters; offset must be below that.`, isError: true };
  const maxTokens = pageTokens - FRAME_TOKENS;
  return {
    summary: `Recalled ${oneLine(head).slice(0, 160).toWellFormed()}`,
    content: record(longTextPage({ head, text, offset, maxTokens, tokenizer, mask })),
  };
}

/** The number of an item by its id, or by the number that pages and summaries show. */
function numberOf(session: Session, id: string): number | undefined {
  const found = session.indexOf(id);
  if (found !== undefined) return found;
  const digits = /^[i#]?(\d{1,9})$/.exec(id)?.[1];
  return digits !== undefined && Number(digits) < session.itemCount ? Number(digits) : undefined;
}

function unknown({ itemCount }: Session, id: string): string {
  if (/^o\d+(?:\.\d+)?$/.test(id))
    return `the output ${id} is no longer kept; outputs are kept while the session is open, the newest ones only.`;
  const all = itemCount === 0 ? 'there are none yet' : `there are i0 to i${String(itemCount - 1)}`;
  return `there is no item ${oneLine(id).slice(0, 80).toWellFormed()}; ${all}.`;
}

/** What an item says, alone under its header. */
function textOf(item: Item): string {
  if (item.kind === 'tool_call') return JSON.stringify(item.arguments, null, 1);
  if (item.kind === 'tool_result') return item.content === undefined ? item.summary : partsText(item.content);
  return item.kind === 'message' ? partsText(item.parts) : (item.text ?? '');
}
