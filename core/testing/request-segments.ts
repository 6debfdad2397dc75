/** A written request in the pieces that a prompt cache goes by: tools, then system content, then the conversation. */
import { readRequest } from './request-shapes';
import { record } from './request-turns';
import type { RequestTurn } from './request-turns';
import type { WireShape } from './script';

type Fields = { readonly [key: string]: unknown };

/** One piece of a request: all tools, one piece of system content, one message, or in the Anthropic shape one block of it. */
export interface RequestSegment {
  readonly part: 'tools' | 'system' | 'messages';
  /** 0-based position in its part; of the message where a message has several blocks. */
  readonly index: number;
  /** Its JSON as it was sent, cache marks left out. */
  readonly json: string;
  /** Whether it carries a cache mark. */
  readonly marked: boolean;
  /** The block, where messages are made of blocks. */
  readonly block?: Fields;
}

/** The pieces of a request, in the order in which a prompt cache meets them. */
export function segmentsOf(shape: WireShape, body: Fields): readonly RequestSegment[] {
  const tools = body['tools'];
  const messages = listOf(body['messages']);
  return [
    ...(tools === undefined ? [] : [segment('tools', 0, tools)]),
    ...blocksOf(body['system']).map((block, index) => segment('system', index, block)),
    ...messages.flatMap((message, index) =>
      shape === 'anthropic' ? messageBlocks(message, index) : [segment('messages', index, message)],
    ),
  ];
}

/** What a piece sends, read as a request of its own. */
export function turnsOfSegment(shape: WireShape, { part, json }: RequestSegment): readonly RequestTurn[] {
  const value = JSON.parse(json) as unknown;
  if (part === 'tools') return [];
  return readRequest(shape, part === 'system' ? { system: [value], messages: [] } : { messages: [value] }).turns;
}

/** A place where a request does not go on where the one before it ended. */
export interface Divergence {
  /** 0-based number of the later request. */
  readonly request: number;
  /** Where the first difference is: a piece that changed, went, or came before what was there. */
  readonly part: RequestSegment['part'];
  readonly index: number;
}

/**
 * Where requests do not extend the one before byte for byte (S5.4), cache marks left out; empty where each does. What is
 * compared are `{ shape, body }` as a scripted model or a strict provider keeps them.
 */
export function extendsPrevious(
  requests: readonly { readonly shape: WireShape; readonly body: Fields }[],
): readonly Divergence[] {
  const found: Divergence[] = [];
  let before: readonly RequestSegment[] = [];
  for (const [request, { shape, body }] of requests.entries()) {
    const now = segmentsOf(shape, body);
    const at = before.findIndex((old, index) => now[index]?.part !== old.part || now[index].json !== old.json);
    const first = now[at] ?? before[at];
    if (first !== undefined) found.push({ request, part: first.part, index: first.index });
    before = now;
  }
  return found;
}

/** A request without its cache marks, which are no content. */
export function withoutMarks(body: Fields): Fields {
  return JSON.parse(unmarked(body)) as Fields;
}

function messageBlocks(message: unknown, index: number): readonly RequestSegment[] {
  const { role, content } = record(message) ?? {};
  return blocksOf(content).map((block) => {
    const fields = record(block);
    return {
      ...segment('messages', index, { role, content: [block] }),
      ...(fields !== undefined && { block: fields }),
    };
  });
}

/** A text is the same as one block of text. */
function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function segment(part: RequestSegment['part'], index: number, value: unknown): RequestSegment {
  const json = unmarked(value);
  return { part, index, json, marked: json.length !== (JSON.stringify(value) ?? '').length };
}

function unmarked(value: unknown): string {
  return JSON.stringify(value, (key, entry: unknown) => (isMark(key, entry) ? undefined : entry)) ?? 'null';
}

function isMark(key: string, entry: unknown): boolean {
  return key === 'cache_control' && record(entry)?.['type'] === 'ephemeral';
}
