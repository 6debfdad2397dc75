/** Gathers a streamed reply: what is shown while it comes, and what it was in the end. */
import { PithError } from '../errors';
import type { LlmStreamPart } from './client';
import type { Content, Finish, StreamedPart } from './language-model';

interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly texts: string[];
  metadata: unknown;
}

/** The parts of one streamed reply. */
export class StreamedReply {
  readonly #contents: (Piece | Extract<Content, { type: 'tool-call' }>)[] = [];
  readonly #open = new Map<string, Piece>();
  readonly #calls = new Set<string>();
  readonly #toolName: (called: string) => string;
  #finish: Finish | undefined;

  /** @param toolName the name of a tool by the name that the model calls it */
  constructor(toolName: (called: string) => string) {
    this.#toolName = toolName;
  }

  /** Takes a part in, and tells what is to be shown of it. Throws what the provider reports as an error. */
  add(part: StreamedPart): LlmStreamPart | undefined {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#piece(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        return undefined;
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning';
        this.#piece(type, part.id, part.providerMetadata).texts.push(part.delta);
        return part.delta === '' ? undefined : { type, text: part.delta };
      }
      case 'text-end':
      case 'reasoning-end': {
        const type = part.type === 'text-end' ? 'text' : 'reasoning';
        this.#piece(type, part.id, part.providerMetadata);
        this.#open.delete(`${type} ${part.id}`);
        return undefined;
      }
      case 'tool-input-start':
        return part.providerExecuted === true ? undefined : this.#show(part.id, part.toolName);
      case 'tool-call':
        this.#contents.push(part);
        return part.providerExecuted === true ? undefined : this.#show(part.toolCallId, part.toolName);
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        throw part.error;
      default:
        return undefined;
    }
  }

  /**
   * The whole reply.
   *
   * @throws `PITH_LLM_TRANSPORT` where the stream ended before the reply did
   */
  end(): { readonly contents: readonly Content[]; readonly finish: Finish } {
    const finish = this.#finish;
    if (finish === undefined || isUnfinished(finish)) {
      throw new PithError('PITH_LLM_TRANSPORT', 'The stream of the reply ended before the reply did.', {
        details: { transient: true },
      });
    }
    const contents = this.#contents.map((content): Content => {
      if (content.type === 'tool-call') return content;
      return { type: content.type, text: content.texts.join(''), providerMetadata: content.metadata };
    });
    return { contents, finish };
  }

  /** The open piece of that id; a new one where a provider leaves the start out. */
  #piece(type: Piece['type'], id: string, metadata: unknown): Piece {
    const key = `${type} ${id}`;
    let piece = this.#open.get(key);
    if (piece === undefined) {
      piece = { type, texts: [], metadata: undefined };
      this.#open.set(key, piece);
      this.#contents.push(piece);
    }
    if (metadata !== undefined) piece.metadata = mergeMetadata(piece.metadata, metadata);
    return piece;
  }

  #show(callId: string, name: string): LlmStreamPart | undefined {
    if (this.#calls.has(callId)) return undefined;
    this.#calls.add(callId);
    return { type: 'tool-call', callId, name: this.#toolName(name) };
  }
}

/** Version 3 has no word of the provider where the connection closed early. */
function isUnfinished({ finishReason }: Finish): boolean {
  return typeof finishReason !== 'string' && finishReason.unified === 'other' && finishReason.raw === undefined;
}

/** Later data of a provider adds to what it gave before. */
function mergeMetadata(before: unknown, now: unknown): unknown {
  if (!isFields(before) || !isFields(now)) return now ?? before;
  const merged = Object.entries(now).map(([name, value]) => {
    const old = before[name];
    return [name, isFields(old) && isFields(value) ? { ...old, ...value } : value] as const;
  });
  return { ...before, ...Object.fromEntries(merged) };
}

function isFields(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
